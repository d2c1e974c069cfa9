# shellcheck shell=bash
# shows: all of JSONTestSuite is accepted or rejected as RFC 8259 requires; requests generated from /openapi.json get documented responses and no 5xx
# takes: 10 min
# where: workshop

schemathesis_version=4.32.5

# Installed once, next to the roots: it comes from PyPI.
install_schemathesis() {
  venv=$cache/schemathesis-$schemathesis_version
  [ -e "$venv/complete" ] && return
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$schemathesis_version"
  touch "$venv/complete"
}

# Each document as the value of an unknown field: valid JSON then lacks the required fields, and the
# rest is malformed. The service is stricter than the standard in one respect: it refuses repeated
# keys.
json_test_suite() {
  local folder file name answer body=$log_folder/document.json documents=0 wrong=0
  folder=$(find /usr/share -type d -path '*nst_json_testsuite2*' -name test_parsing | head -n 1)
  [ -n "$folder" ] || die 'the package json-test-data has no test_parsing'
  for file in "$folder"/*.json; do
    name=$(basename "$file" .json)
    { printf '{"extra":' && cat "$file" && printf '}'; } >"$body"
    answer=$(curl -sS "$base_url/api/auth-errors" -H "X-API-Key: $ingest_key" -H 'Content-Type: application/json' \
      --data-binary @"$body" | jq -r .code)
    documents=$((documents + 1))
    case $name:$answer in
      y_object_duplicated_key*:malformed_json | n_*:malformed_json) ;;
      y_object_duplicated_key*:*) row "$name: $answer" && wrong=$((wrong + 1)) ;;
      y_*:invalid_fields | i_*:malformed_json | i_*:invalid_fields) ;;
      *) row "$name: $answer" && wrong=$((wrong + 1)) ;;
    esac
  done
  row "JSONTestSuite: $documents documents, $wrong not as the standard says"
  [ "$documents" -gt 300 ] && [ "$wrong" = 0 ]
}

# ask NAME KEY OPTIONS...: sends requests with this key to the operations selected by OPTIONS.
ask() {
  local name=$1 key=$2 code=0 log=$log_folder/contract-$1.log
  shift 2
  (cd "$log_folder" && "$venv/bin/schemathesis" --no-color run "$base_url/openapi.json" --header "X-API-Key: $key" \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
    --phases examples,coverage,fuzzing --mode all --max-examples "${CONTRACT_EXAMPLES:-200}" --seed 1 \
    --generation-database none --continue-on-failure --request-timeout 20 "$@") >"$log" 2>&1 || code=1
  row "$(printf '%-10s %s%s' "$name" "$(grep -E 'generated|cases' "$log" | tail -n 1 | sed 's/^ *//')" \
    "$([ "$code" = 0 ] || echo "; fails, see build/log/contract-$name.log")")"
  return "$code"
}

verify() {
  local code=0 venv
  install_schemathesis >&2
  start_installation >&2
  json_test_suite || code=1
  ask ingestion "$ingest_key" --include-operation-id createAuthError --include-operation-id createAuthErrors || code=1
  # With a key that it has revoked, further requests would be pointless.
  ask operators "$operator_key" --exclude-operation-id createAuthError --exclude-operation-id createAuthErrors \
    --exclude-operation-id revokeKey || code=1
  ask revocation "$operator_key" --include-operation-id revokeKey || code=1
  return "$code"
}
