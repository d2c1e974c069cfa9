# shellcheck shell=bash
# shows: an instance without its database and broker stays live while the DNS server does not respond
# takes: 2 min
# where: platform

# Runs the service in its own mount namespace, whose resolver asks 127.53.0.1, where queries are
# received and never answered.
start_without_dns() {
  perl -MIO::Socket::INET -e '
    my $socket = IO::Socket::INET->new(LocalAddr => "127.53.0.1", LocalPort => 53, Proto => "udp") or die $!;
    while ($socket->recv(my $question, 512)) { print STDERR "asked\n" }' 2>"$folder/questions" &
  resolver=$!
  echo 'nameserver 127.53.0.1' >"$folder/resolv.conf"
  # shellcheck disable=SC2016  # for the inner shell
  DATABASE_URL=postgresql://user@db.example.org/name AMQP_URL=amqp://user:secret@mq.example.org/ \
    AUTH_ERRORS_PORT=$port AUTH_ERRORS_LISTEN=127.0.0.1 \
    unshare --mount sh -c 'mount --bind "$1" /etc/resolv.conf && exec "$2" serve --config "$3"' sh \
    "$folder/resolv.conf" "$binary" "$here/config.json" >"$log_folder/service.log" 2>&1 &
  service=$!
}

# Runs after verify() has returned and its locals are gone.
end_without_dns() {
  # shellcheck disable=SC2086  # one word each, or none
  kill $service $resolver 2>/dev/null || true
  rm -rf "$folder"
}

verify() {
  local port times code=0
  service='' resolver=''
  [ "$(id -u)" = 0 ] || die 'running a DNS server needs root'
  binary=$here/build/release/bin/auth-errors
  build release --target auth-errors >&2
  folder=$(mktemp -d) port=$(free_port)
  trap end_without_dns EXIT
  start_without_dns
  until curl -fsS -o /dev/null "http://127.0.0.1:$port/health/live" 2>/dev/null; do
    kill -0 "$service" || die "the service has ended: $(tail -n 5 "$log_folder/service.log")"
    sleep 0.1
  done
  local end=$((SECONDS + 30))
  times=$(while [ "$SECONDS" -lt "$end" ]; do
    curl -sS -o /dev/null -m 10 -w '%{http_code} %{time_total}\n' "http://127.0.0.1:$port/health/live" || echo '000 10'
  done)
  row "$(sort -k 2 -n <<<"$times" | awk '
    { time[NR] = $2 * 1000; if ($1 != 200) failed++ }
    END { printf "/health/live %d times in 30 s: %d failed, median %.1f ms, slowest %.1f ms", NR, failed, time[int((NR + 1) / 2)], time[NR] }')"
  row "$(wc -l <"$folder/questions") questions to the DNS server, none answered"
  awk '$1 != 200 || $2 > 0.05 { exit 1 }' <<<"$times" || code=1
  [ -s "$folder/questions" ] || code=1
  return "$code"
}
