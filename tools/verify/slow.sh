# shellcheck shell=bash
# shows: 500 clients that send or read as slowly as possible delay no other client
# takes: 4 min
# where: workshop

# attack NAME SLOWHTTPTEST-OPTIONS...: for a minute, with five valid requests per second in
# parallel.
attack() {
  local name=$1 slow attacker result code=0
  shift
  slowhttptest -c 500 -r 200 -l 60 -i 5 -p 3 -u "$base_url/api/auth-errors" "$@" >"$log_folder/slow-$name.log" 2>&1 &
  attacker=$!
  slow=$(while kill -0 "$attacker" 2>/dev/null; do
    curl -sS -o /dev/null -m 10 -w '%{http_code} %{time_total}\n' "$base_url/api/auth-errors?limit=1" \
      -H "Authorization: Bearer $viewer_key" || echo '000 10'
    sleep 0.2
  done)
  wait "$attacker" || true
  result=$(sort -k 2 -n <<<"$slow" | awk '
    { time[NR] = $2 * 1000; if ($1 != 200) failed++ }
    END { printf "%d other requests, %d failed, median %.1f ms, slowest %.0f ms", NR, failed, time[int((NR + 1) / 2)], time[NR]
          exit failed > 0 || NR < 50 }') || code=1
  row "$(printf '%-22s %s' "$name" "$result")"
  return "$code"
}

verify() {
  local code=0
  start_installation >&2
  attack 'slow headers' -H || code=1
  attack 'slow bodies' -B -s 8192 -t POST || code=1
  attack 'slow reading' -X -w 1 -y 16 -n 5 -z 8 -k 3 || code=1
  return "$code"
}
