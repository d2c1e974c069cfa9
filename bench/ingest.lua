-- Distinct errors with a stack trace of 2 KB, from every connection.
local threads = 0

function setup(thread)
  thread:set("thread", threads)
  threads = threads + 1
end

local headers = {
  ["Content-Type"] = "application/json",
  ["Authorization"] = "Bearer " .. os.getenv("INGEST_KEY"),
}
local trace = string.rep("\\tat org.example.security.Filter.doFilter(Filter.java:42)\\n", 36)
local count = 0
local run = tostring(os.time()) .. tostring({}):gsub("table: ", "")

function request()
  count = count + 1
  local body = '{"requestId":"' .. run .. "-" .. thread .. "-" .. count ..
    '","occurredAt":"2026-01-31T09:30:00Z","httpStatus":401,' ..
    '"exceptionClass":"org.example.security.BadCredentialsException","stacktrace":"' .. trace .. '"}'
  return wrk.format("POST", "/api/auth-errors", headers, body)
end

-- At a steady rate instead of as fast as possible: ms between two requests of a connection, on average.
local pace = tonumber(os.getenv("BENCH_PACE_MS") or "0")
if pace > 0 then
  function delay() return math.random(2 * pace) end
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("result %d %.1f %d\n", summary.requests / summary.duration * 1e6,
    latency:percentile(99) / 1000, failed))
end
