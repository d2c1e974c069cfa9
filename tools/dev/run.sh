# shellcheck shell=bash
# The commands run, stop, restart, status, logs and psql, and the supervisor that owns what run
# starts.

migrate() { DATABASE_URL=$database_url "$binary" migrate --config "$here/config.json"; }

# One key of each role, without a rate limit. Created once, and again if the database does not have
# them.
make_keys() {
  local role name key digest known taken secret
  for role in ingest viewer operator; do
    key=${role}_key name=dev-$role
    digest=$(printf %s "${!key}" | sha256sum | cut -c1-64)
    known=$(count_keys "secret_digest = decode('$digest', 'hex') AND revoked_at IS NULL")
    [ "$known" = 0 ] || continue
    taken=$(count_keys "name = '$name'")
    [ "$taken" = 0 ] || name=$name-$(openssl rand -hex 4)
    secret=$(DATABASE_URL=$database_url "$binary" keys create --config "$here/config.json" \
      --name "$name" --role "$role" --rate-limit 0)
    printf -v "$key" %s "$secret"
    write_secrets
  done
}

count_keys() { psql -v ON_ERROR_STOP=1 -qtAd "$database_url" -c "SELECT count(*) FROM api_key WHERE $1"; }

ensure_keys() {
  step 'create the API keys' make_keys
  # shellcheck disable=SC1091  # made here
  . "$servers/secrets"
}

start_service() {
  export DATABASE_URL=$database_url AMQP_URL=$amqp_url AUTH_ERRORS_PORT=$port AUTH_ERRORS_LISTEN=127.0.0.1
  local keys=$actor_keys
  [ -z "${GIVEN_DATABASE_URL:-}" ] || keys=$(actor_keys_of "$GIVEN_DATABASE_URL")
  export AUTH_ERRORS_ACTOR_KEYS=${AUTH_ERRORS_ACTOR_KEYS:-$keys}
  # The variables of ./dev itself are not settings, and the service would warn about them.
  spawn service root env -u AUTH_ERRORS_INSIDE -u AUTH_ERRORS_DATA -u AUTH_ERRORS_SHOWN_DATA \
    -u AUTH_ERRORS_CACHE -u AUTH_ERRORS_STEPS -u AUTH_ERRORS_PORTS "$binary" serve --config "$here/config.json"
  wait_for 30 service service_ready
}

# Bypasses a proxy configured in the environment.
service_ready() { curl --noproxy '*' -fsS "$base_url/health/ready"; }

write_env() {
  (umask 077 && cat >"$servers/env.part" <<ENV
BASE_URL=$base_url
DATABASE_URL=$(printf %q "$database_url")
AMQP_URL=$(printf %q "$amqp_url")
INGEST_KEY=$ingest_key
VIEWER_KEY=$viewer_key
OPERATOR_KEY=$operator_key
ENV
  )
  mv "$servers/env.part" "$servers/env"
}

# The request id is new each time: with a known one nothing would be stored.
print_welcome() {
  local id
  id=demo-$(date -u +%Y%m%dT%H%M%S)-$(openssl rand -hex 2)
  cat <<TEXT

auth-errors is ready at $base_url (data, logs and env in $AUTH_ERRORS_SHOWN_DATA). Try:

  curl -i $base_url/api/auth-errors -H 'Authorization: Bearer $ingest_key' \\
    -H 'Content-Type: application/json' -d '{"requestId": "$id",
    "occurredAt": "$(date -u +%FT%TZ)", "httpStatus": 401, "exceptionClass": "BadCredentialsException",
    "stacktrace": "BadCredentialsException: bad credentials\n\tat com.example.Login.check(Login.java:42)"}'

TEXT
}

# hint COMMAND: its command line for this data folder.
hint() {
  local folder=${AUTH_ERRORS_SHOWN_DATA:-$data}
  if [ "$folder" = "$here/.data" ]; then printf './dev %s' "$1"
  else printf './dev %s --data %q' "$1" "$folder"
  fi
}

# --- the supervisor ---

# The process that owns everything `run` starts: it stops the servers in order, restarts one on
# request, and restarts those that die. For each server, `deaths` has the times of recent deaths,
# `due` the time of the next start, and `given_up` is set once it is left down.
inner_supervise() {
  local -A deaths=() due=() given_up=()
  local owned=()
  port=$1
  base_url=http://127.0.0.1:$port
  binary=$here/build/release/bin/auth-errors
  log_folder=$AUTH_ERRORS_DATA/log
  servers=$AUTH_ERRORS_DATA
  rm -f "$servers"/run/{*.note,*.end,request,answer,facts,wake}
  mkfifo -m 0600 "$servers/run/wake"
  trap 'exit 0' TERM INT
  trap stop_servers EXIT
  prepare_servers "$AUTH_ERRORS_DATA"
  database_url=${GIVEN_DATABASE_URL:-$database_url} amqp_url=${GIVEN_AMQP_URL:-$amqp_url}
  if [ -z "${GIVEN_DATABASE_URL:-}" ]; then
    owned+=(postgres)
    ensure_postgres
    step 'create role and database' create_database
  fi
  if [ -z "${GIVEN_AMQP_URL:-}" ]; then
    owned+=(epmd rabbitmq)
    step 'start RabbitMQ' start_rabbitmq
  fi
  step 'migrate the database' migrate
  ensure_keys
  owned+=(service)
  step 'start the service' start_service
  write_env
  write_facts
  print_welcome
  touch "$servers/run/ready"
  watch_servers
}

fact() { printf '%s=%q\n' "$1" "$2"; }

# Facts for `status` and `restart`, which run outside; no secrets.
write_facts() {
  {
    fact checkout "$here"
    fact base_url "$base_url"
    fact service_port "$port"
    fact service_version "$("$binary" --version | sed -n '1s/^auth-errors //p')"
    if [ -n "${GIVEN_DATABASE_URL:-}" ]; then
      fact postgres_source DATABASE_URL
      fact postgres_address "$(address_of "$GIVEN_DATABASE_URL" 5432)"
    else
      fact postgres_port "$postgres_port"
      fact postgres_version "$("$postgres_bin/postgres" --version | awk '{ print $3 }')"
    fi
    if [ -n "${GIVEN_AMQP_URL:-}" ]; then
      fact rabbitmq_source AMQP_URL
      fact rabbitmq_address "$(address_of "$GIVEN_AMQP_URL" 5672)"
    else
      fact rabbitmq_port "$rabbitmq_port"
      fact rabbitmq_version \
        "$(find /usr/lib/rabbitmq/lib -maxdepth 1 -name 'rabbitmq_server-*' | sed -n '1s/.*-//p')"
    fi
  } >"$servers/run/facts.part"
  mv "$servers/run/facts.part" "$servers/run/facts"
}

# Checks every second, and immediately when a line arrives through the pipe: a server has ended, or
# there is a request.
watch_servers() {
  local name
  exec 5<>"$servers/run/wake"
  while true; do
    for name in "${owned[@]}"; do
      if [ -z "${due[$name]:-}${given_up[$name]:-}" ] && has_died "$name"; then note_death "$name"; fi
      if [ -n "${due[$name]:-}" ] && [ "$SECONDS" -ge "${due[$name]}" ]; then revive "$name"; fi
    done
    if [ -e "$servers/run/request" ]; then serve_request; fi
    read -r -t 1 -u 5 || true
  done
}

has_died() {
  local pid ended
  { read -r pid _ <"$servers/run/$1"; } 2>/dev/null && kill -0 "$pid" 2>/dev/null || return 0
  { read -r ended _ <"$servers/run/$1.end"; } 2>/dev/null && [ "$ended" = "$pid" ]
}

# how_it_ended NAME: from the exit status that its shell records shortly after the process has
# ended.
how_it_ended() {
  local pid='' ended='' code=''
  { read -r pid _ <"$servers/run/$1"; } 2>/dev/null || true
  for _ in {1..20}; do
    { read -r ended code <"$servers/run/$1.end"; } 2>/dev/null && [ "$ended" = "$pid" ] && break
    code=''
    sleep 0.05
  done
  if [ -z "$code" ]; then echo 'has ended'
  elif [ "$code" -gt 128 ]; then echo "was killed by signal $((code - 128)) (SIG$(kill -l $((code - 128))))"
  else echo "has ended with status $code"
  fi
}

# Seconds before each restart of a server that keeps dying. After the fifth death within a minute it is
# left down.
backoff=(0 1 2 4)

note_death() {
  local name=$1 how now=$SECONDS recent='' time count delay
  how=$(how_it_ended "$name")
  for time in ${deaths[$name]:-} "$now"; do
    if [ $((now - time)) -lt 60 ]; then recent+=" $time"; fi
  done
  deaths[$name]=$recent
  count=$(wc -w <<<"$recent")
  printf '\n%s %s %s; the last lines of its log:\n' "$(date +%T)" "$name" "$how"
  tail -n 5 "$log_folder/$name.log" | sed $'s/\033\\[[0-9;]*m//g; s/^/    /'
  if [ "$count" -gt ${#backoff[@]} ]; then
    given_up[$name]=yes
    how+=", for the fifth time within a minute: left down"
    printf '%s has died five times within a minute and is left down: see %s, then %s\n' \
      "$name" "$(hint "logs $name")" "$(hint "restart $name")"
  else
    delay=${backoff[count - 1]}
    due[$name]=$((now + delay))
    [ "$delay" = 0 ] || printf 'It is started again in %s s.\n' "$delay"
  fi
  printf '%s at %s\n' "$how" "$(date +%T)" >"$servers/run/$name.note"
}

revive() {
  local status
  unset "due[$1]"
  attempt "start $1 again" start_server "$1"
  if [ "$status" = 0 ]; then rm -f "$servers/run/$1.note"; fi
}

start_server() { "start_$1"; }

# A request is a line with an id and a server's name; the answer begins with the same id.
serve_request() {
  local id name status
  read -r id name <"$servers/run/request" || true
  rm -f "$servers/run/request"
  if [[ " ${owned[*]} " != *" $name "* ]]; then
    answer_request "$id" "no server '$name' was started here"
    return
  fi
  # A newer binary may bring migrations; if they fail, the running service is left alone.
  if [ "$name" = service ]; then
    attempt 'migrate the database' migrate
    if [ "$status" != 0 ]; then
      answer_request "$id" 'the migration failed, and the service that ran goes on'
      return
    fi
  fi
  stop_server "$name"
  unset "due[$name]" "given_up[$name]" "deaths[$name]"
  rm -f "$servers/run/$name.note"
  attempt "restart $name" start_server "$name"
  if [ "$status" != 0 ]; then
    answer_request "$id" "$name did not become ready"
    return
  fi
  # The restart is complete when the service has found the server again.
  [ "$name" = service ] || wait_for 20 service service_ready >/dev/null || true
  write_facts
  answer_request "$id" ok
}

# answer_request ID TEXT
answer_request() {
  echo "$1 $2" >"$servers/run/answer.part"
  mv "$servers/run/answer.part" "$servers/run/answer"
}

# --- run and stop ---

command_run() {
  local detach=no given_port=8080
  while [ $# -gt 0 ]; do
    case $1 in
      --detach) detach=yes ;;
      --port) given_port=${2:?--port needs a number}; shift ;;
      *) die "run: unknown argument '$1'; see ./dev help" ;;
    esac
    shift
  done
  [[ $given_port =~ ^[0-9]+$ ]] && [ "$given_port" -ge 1 ] && [ "$given_port" -le 65535 ] ||
    die "--port must be a number from 1 to 65535, not '$given_port'"
  mkdir -p "$data/run" "$data/log"
  exec 7>"$data/run/lock"
  flock -n 7 || die "another ./dev run is starting with the data in $data"
  refuse_second_run
  end_leftovers
  require_free_port "$given_port"
  if [ -n "${DATABASE_URL:-}${AMQP_URL:-}" ]; then
    explain_server PostgreSQL DATABASE_URL 5432
    explain_server RabbitMQ AMQP_URL 5672
  fi
  ensure_platform
  prepare_entrance
  inside inner_build release --target auth-errors
  require_free_port "$given_port"
  rm -f "$data/run/ready"
  export GIVEN_DATABASE_URL=${DATABASE_URL:-} GIVEN_AMQP_URL=${AMQP_URL:-}
  : >"$data/log/run.log"
  chmod 0600 "$data/log/run.log" # the curl in it has a key
  start_supervisor "$detach" "$given_port"
  exec 7>&-
  tail -n +1 -f --pid="$supervisor" "$data/log/run.log" 2>/dev/null &
  local tail=$!
  trap 'trap - INT TERM; command_stop; exit 130' INT TERM
  while [ ! -e "$data/run/ready" ] && running "$data/run/supervisor" >/dev/null; do
    sleep 0.2 & wait $! || true
  done
  if [ ! -e "$data/run/ready" ]; then wait "$tail" || true; exit 1; fi
  if [ "$detach" = no ]; then
    while running "$data/run/supervisor" >/dev/null; do sleep 1 & wait $! || true; done
    exit 1
  fi
  sleep 0.3
  kill "$tail" 2>/dev/null || true
}

refuse_second_run() {
  local base_url=''
  running "$data/run/supervisor" >/dev/null || return 0
  load_facts
  die "auth-errors is already running${base_url:+ at $base_url} with the data in $data:" \
    "$(hint status) shows it, $(hint stop) stops it, and another --data runs a second one"
}

require_free_port() {
  ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null || die "port $1 is in use: choose another with --port"
}

# Starts the supervisor in a session of its own, so that a terminal's Ctrl-C reaches only this script.
start_supervisor() {
  local line=("${enter[@]}") inner
  if ! on_debian_14; then
    [ "$1" = yes ] || line+=(--die-with-parent)
    line+=(--info-fd 6 bash "$here/dev")
  fi
  : >"$data/run/info"
  setsid "${line[@]}" inner_supervise "$2" >>"$data/log/run.log" 2>&1 </dev/null 6>"$data/run/info" 7>&- &
  supervisor=$!
  if ! on_debian_14; then
    # The process inside, which handles signals; bubblewrap itself would just be killed by them.
    until inner=$(grep -o '"child-pid": [0-9]*' "$data/run/info"); do
      kill -0 "$supervisor" 2>/dev/null || { cat "$data/log/run.log" >&2; die 'the sandbox did not start'; }
      sleep 0.05
    done
    supervisor=${inner##* }
  fi
  echo "$supervisor $(start_time "$supervisor")" >"$data/run/supervisor"
}

# Opens the pipe for reading too: opening it for writing alone would block without a reader.
wake_supervisor() { [ ! -p "$data/run/wake" ] || echo 1<>"$data/run/wake"; }

command_stop() {
  local pid
  [ $# = 0 ] || die "stop: unknown argument '$1'; see ./dev help"
  if ! pid=$(running "$data/run/supervisor"); then
    end_leftovers
    echo "nothing is running with the data in $data"
    return
  fi
  kill -TERM "$pid" || die "process $pid was started by another user"
  wake_supervisor
  local deadline=$((SECONDS + 120))
  while running "$data/run/supervisor" >/dev/null && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.1; done
  ! running "$data/run/supervisor" >/dev/null || die "process $pid did not exit; see $data/log/run.log"
  rm -f "$data/run/supervisor" "$data/run/ready" "$data/env"
  echo 'stopped'
}

# A supervisor killed on Debian 14 leaves its servers running; in a sandbox they die with it.
end_leftovers() {
  local name servers=$data
  on_debian_14 || return 0
  for name in service rabbitmq epmd postgres; do
    if running "$servers/run/$name" >/dev/null; then
      stop_server "$name"
      echo "ended $name, which a killed supervisor had left"
    fi
  done
}

# --- restart ---

command_restart() {
  local name=${1:-} pid id answer began rebuilt='' source address checkout=$here base_url=''
  case $name in
    service | postgres | rabbitmq) ;;
    *) die "restart: expected service, postgres or rabbitmq, not '$name'" ;;
  esac
  pid=$(running "$data/run/supervisor") ||
    die "nothing is running with the data in $data: $(hint run) starts it"
  [ -e "$data/run/ready" ] || die "auth-errors is still starting: see $(hint 'logs run')"
  kill -0 "$pid" 2>/dev/null || die "process $pid was started by another user"
  load_facts
  source=${name}_source address=${name}_address
  [ -z "${!source:-}" ] ||
    die "$name is an external server (${!source}, ${!address}): restart it where it runs"
  exec 7>"$data/run/restart.lock"
  flock 7
  if [ "$name" = service ]; then
    [ "$checkout" = "$here" ] || die "the service runs from another checkout: use $checkout/dev restart service"
    rebuild_service
  fi
  id=$$-$EPOCHREALTIME
  began=$EPOCHREALTIME
  echo "$id $name" >"$data/run/request.part"
  mv "$data/run/request.part" "$data/run/request"
  wake_supervisor
  until answer=$(grep -s "^$id " "$data/run/answer"); do
    running "$data/run/supervisor" >/dev/null || die "the supervisor has ended: see $(hint 'logs run')"
    sleep 0.05
  done
  answer=${answer#* }
  [ "$answer" = ok ] || die "$answer: see $(hint 'logs run') and $(hint "logs $name")"
  awk -v a="$began" -v b="$EPOCHREALTIME" -v name="$name" -v pid="$(host_pid "$name")" -v rebuilt="$rebuilt" \
    'BEGIN { printf "%s restarted in %.1f s, process %s%s\n", name, b - a, pid, rebuilt }'
}

# Builds before the running service is touched; sets `rebuilt` to whether that changed the binary.
rebuild_service() {
  local binary=$here/build/release/bin/auth-errors before after
  before=$(stat -c '%i %Y %s' "$binary" 2>/dev/null || true)
  ensure_platform
  prepare_entrance
  inside inner_build release --target auth-errors
  after=$(stat -c '%i %Y %s' "$binary")
  rebuilt=', rebuilt'
  [ "$before" != "$after" ] || rebuilt=', the same binary: nothing had changed'
}

# --- status and logs ---

# shellcheck source=/dev/null  # written by the supervisor
load_facts() { if [ -r "$data/run/facts" ]; then . "$data/run/facts"; fi; }

# host_pid NAME: the host's process id of a server that is recorded by its id in the sandbox. The
# start time and the supervisor's namespace distinguish it from equal ids in other sandboxes.
host_pid() {
  local inner started pid supervisor
  { read -r inner started <"$data/run/$1"; } 2>/dev/null && [ -n "$started" ] || return 1
  supervisor=$(running "$data/run/supervisor") || supervisor=
  while IFS=/ read -r _ _ pid _; do
    [ "$(start_time "$pid")" = "$started" ] || continue
    [ -z "$supervisor" ] ||
      [ "$(readlink "/proc/$supervisor/ns/pid")" = "$(readlink "/proc/$pid/ns/pid")" ] || continue
    echo "$pid"
    return
  done < <(grep -lsP "^NSpid:.*\t$inner\$" /proc/[0-9]*/status)
  return 1
}

# uptime_of PID
uptime_of() {
  local up
  read -r up _ </proc/uptime
  elapsed $((${up%.*} - $(start_time "$1") / $(getconf CLK_TCK)))
}

# healthy PORT: whether the service is ready. Without curl, which the host may not have.
healthy() {
  # shellcheck disable=SC2016  # expanded by the inner shell
  timeout 5 bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$0" && printf "GET /health/ready HTTP/1.0\r\n\r\n" >&3 &&
    read -r _ code _ <&3 && [ "$code" = 200 ]' "$1" 2>/dev/null
}

print_row() { printf '  %-10s  %-11s  %8s  %5s  %-24s  %-14s  %s\n' "$@"; }

# 0: all run; 3: nothing runs; 1: something is down.
command_status() {
  local name pid state supervisor source address port version down=0 up=0 base_url=''
  [ $# = 0 ] || die "status: unknown argument '$1'; see ./dev help"
  load_facts
  if supervisor=$(running "$data/run/supervisor"); then up=1; else supervisor='' down=1; fi
  for name in postgres rabbitmq service; do
    ! host_pid "$name" >/dev/null || up=1
  done
  if [ "$up" = 0 ]; then
    echo "nothing is running with the data in $data; $(hint run) starts it"
    return 3
  fi
  if [ -n "$supervisor" ] && [ ! -e "$data/run/ready" ]; then echo "auth-errors is starting, with the data in $data"
  else echo "auth-errors at ${base_url:-an unknown address}, with the data in $data"
  fi
  echo
  print_row NAME STATE PID PORT VERSION UPTIME LOG
  if [ -n "$supervisor" ]; then
    print_row supervisor running "$supervisor" - - "$(uptime_of "$supervisor")" "$data/log/run.log"
  else
    print_row supervisor down - - - - "$data/log/run.log"
  fi
  for name in service postgres rabbitmq; do
    source=${name}_source address=${name}_address port=${name}_port version=${name}_version
    if [ -n "${!source:-}" ]; then
      state=external
      [ -z "${!address}" ] || answers "${!address}" || { state=unreachable down=1; }
      print_row "$name" "$state" - - - - "from ${!source} (${!address:-no TCP address})"
    elif pid=$(host_pid "$name"); then
      state=running
      if [ "$name" = service ]; then healthy "${!port:-0}" || { state='not ready' down=1; }
      else answers "127.0.0.1:${!port:-0}" || { state=starting down=1; }
      fi
      print_row "$name" "$state" "$pid" "${!port:--}" "${!version:--}" "$(uptime_of "$pid")" "$data/log/$name.log"
    else
      down=1
      print_row "$name" down - "${!port:--}" "${!version:--}" - "$data/log/$name.log"
    fi
  done
  print_notes
  return "$down"
}

# The supervisor's notes on servers that are down.
print_notes() {
  local note
  for note in "$data"/run/*.note; do
    [ -e "$note" ] || continue
    printf '\n%s %s' "$(basename "$note" .note)" "$(cat "$note")"
  done
  [ ! -e "${note:-}" ] || echo
}

command_logs() {
  local name='' follow=no lines='' file files
  while [ $# -gt 0 ]; do
    case $1 in
      -f) follow=yes ;;
      -n) lines=${2:?-n needs a number of lines}; shift ;;
      -*) die "logs: unknown argument '$1'; see ./dev help" ;;
      *) name=$1 ;;
    esac
    shift
  done
  [[ $lines =~ ^[0-9]*$ ]] || die "-n must be a number of lines, not '$lines'"
  mapfile -t files < <(find "$data/log" -name '*.log' -size +0 -printf '%T@ %p\n' 2>/dev/null | sort -n | cut -d' ' -f2-)
  [ ${#files[@]} != 0 ] || die "there are no logs in $data; start the service with $(hint run)"
  if [ -n "$name" ]; then
    [ "$name" != supervisor ] || name=run
    file=$data/log/$name.log
    [ -e "$file" ] || die "there is no log '$name'; existing logs: $(basename -as .log "${files[@]}" | sort | paste -sd' ')"
    files=("$file")
  fi
  if [ "$follow" = yes ]; then tail -n "${lines:-10}" -F "${files[@]}"
  elif [ -n "$name" ]; then
    if [ -n "$lines" ]; then tail -n "$lines" "$file"; else cat "$file"; fi
  else
    list_logs "${files[@]}"
    for file in "${files[@]}"; do
      [ -s "$file" ] || continue
      printf '\n==> %s <==\n' "$file"
      tail -n "${lines:-5}" "$file"
    done
  fi
}

# list_logs FILE...: oldest first, with their size and the time since the last write.
list_logs() {
  local file
  for file in "$@"; do
    printf '  %8s  %12s ago  %s\n' "$(numfmt --to=iec "$(stat -c %s "$file")")" \
      "$(elapsed $((EPOCHSECONDS - $(stat -c %Y "$file"))))" "$file"
  done
}

inner_psql() {
  # shellcheck disable=SC1091  # written by run
  . "$AUTH_ERRORS_DATA/env"
  psql "$DATABASE_URL" "$@"
}
