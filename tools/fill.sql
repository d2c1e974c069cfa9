-- Prepares a session for filling: the shapes of faults, and the function
-- pg_temp.fill_chunk(number), each call of which is one transaction that leaves the database as the
-- service would have left it. Several sessions may run concurrently on different chunks. Everything
-- created here ends with the session.
--
-- Variables: run, first_id, received_from, received_until, occurred_from, open_letters (from
-- fill_begin.sql); total, the number of errors of the whole fill; chunk, the number of errors per
-- call; instance, the instance name in the rows.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
-- A server crash only loses whole chunks.
SET synchronous_commit = off;
SET work_mem = '128MB';
SET temp_buffers = '128MB';
SET jit = off;
SET default_toast_compression = lz4;
-- All chunks are similar: a small sample shows their size.
SET default_statistics_target = 5;
SET search_path = public, pg_temp;

-- Must match domain/stack/stack_hash.h.
\set version 3
-- Must match domain/scrub/scrubber.h, without an organisation's patterns.
\set scrubber 3

-- --- what faults look like --------------------------------------------------------------------------

CREATE TEMPORARY TABLE fill_service (place int, name text, language text, namespace text);
INSERT INTO fill_service VALUES
  (0, 'auth-gateway', 'java', 'com.example.gateway'), (1, 'identity-api', 'java', 'com.example.identity'),
  (2, 'sso-bridge', 'java', 'com.example.sso'), (3, 'account-api', 'java', 'com.example.account'),
  (4, 'session-service', 'kotlin', 'com.example.session'), (5, 'consent-service', 'kotlin', 'com.example.consent'),
  (6, 'billing-portal', 'dotnet', 'Example.Billing'), (7, 'admin-console', 'dotnet', 'Example.Admin'),
  (8, 'partner-api', 'python', 'partner'), (9, 'risk-engine', 'python', 'risk'),
  (10, 'mobile-bff', 'javascript', 'mobile'), (11, 'shop-frontend', 'javascript', 'shop'),
  (12, 'device-registry', 'go', 'github.com/example/device-registry'),
  (13, 'token-service', 'go', 'github.com/example/token-service');

-- {n} in a message is a number that differs from error to error. The thrower is the innermost
-- frame, if it is a library's: in the form of the fingerprint, and in the form of the trace.
CREATE TEMPORARY TABLE fill_exception (language text, place int, class text, cause text, http_status int,
                                       message text, thrower text, thrower_text text);
INSERT INTO fill_exception VALUES
  ('java', 0, 'org.springframework.security.authentication.BadCredentialsException', NULL, 401,
   'Bad credentials', NULL, NULL),
  ('java', 1, 'io.jsonwebtoken.ExpiredJwtException', NULL, 401,
   'JWT expired {n} milliseconds ago. Allowed clock skew: 0 milliseconds.',
   'io.jsonwebtoken.impl.DefaultJwtParser.parse', E'\tat io.jsonwebtoken.impl.DefaultJwtParser.parse(DefaultJwtParser.java:{line})\n'),
  ('java', 2, 'org.springframework.security.access.AccessDeniedException', NULL, 403, 'Access is denied',
   'org.springframework.security.access.vote.AffirmativeBased.decide',
   E'\tat org.springframework.security.access.vote.AffirmativeBased.decide(AffirmativeBased.java:{line})\n'),
  ('java', 3, 'org.springframework.security.authentication.InternalAuthenticationServiceException',
   'java.sql.SQLTransientConnectionException', 503, 'Unable to load the user after {n} ms', NULL, NULL),
  ('java', 4, 'org.springframework.security.authentication.LockedException', NULL, 423,
   'User account is locked after {n} attempts', NULL, NULL),
  ('java', 5, 'org.springframework.web.client.ResourceAccessException', 'java.net.SocketTimeoutException', 504,
   'I/O error on POST request for "https://idp.example/oauth2/introspect": Read timed out', NULL, NULL),
  ('java', 6, 'org.springframework.security.oauth2.core.OAuth2AuthenticationException', NULL, 401,
   'Invalid state parameter for client {n}', NULL, NULL),
  ('java', 7, 'org.springframework.security.core.userdetails.UsernameNotFoundException', NULL, 401,
   'No account with the address [redacted:email]', NULL, NULL),
  ('dotnet', 0, 'Microsoft.IdentityModel.Tokens.SecurityTokenExpiredException', NULL, 401,
   'IDX10223: Lifetime validation failed. The token expired {n} seconds ago.',
   'Microsoft.IdentityModel.Tokens.Validators.ValidateLifetime',
   E'   at Microsoft.IdentityModel.Tokens.Validators.ValidateLifetime(Nullable`1 notBefore, Nullable`1 expires, SecurityToken securityToken, TokenValidationParameters validationParameters)\n'),
  ('dotnet', 1, 'System.UnauthorizedAccessException', NULL, 403, 'Attempted to perform an unauthorized operation.', NULL, NULL),
  ('dotnet', 2, 'Microsoft.IdentityModel.Tokens.SecurityTokenSignatureKeyNotFoundException', NULL, 401,
   'IDX10503: Signature validation failed. Token does not have a kid. Keys tried: {n}.', NULL, NULL),
  ('dotnet', 3, 'System.Security.Authentication.AuthenticationException', NULL, 502,
   'The remote certificate is invalid according to the validation procedure.', NULL, NULL),
  ('dotnet', 4, 'System.Threading.Tasks.TaskCanceledException', NULL, 504,
   'The request was canceled due to the configured HttpClient.Timeout of {n} seconds elapsing.', NULL, NULL),
  ('python', 0, 'jwt.exceptions.ExpiredSignatureError', NULL, 401, 'Signature has expired',
   'decode_complete (site-packages/jwt/api_jwt.py)',
   E'  File "/usr/local/lib/python3.12/site-packages/jwt/api_jwt.py", line {line}, in decode_complete\n    self._validate_claims(payload, merged_options)\n'),
  ('python', 1, 'django.core.exceptions.PermissionDenied', NULL, 403, 'role {n} may not do that', NULL, NULL),
  ('python', 2, 'rest_framework.exceptions.AuthenticationFailed', NULL, 401, 'No active account found for [redacted:email]', NULL, NULL),
  ('python', 3, 'requests.exceptions.ReadTimeout', NULL, 504, 'Read timed out. (read timeout={n})', NULL, NULL),
  ('python', 4, 'oauthlib.oauth2.rfc6749.errors.InvalidGrantError', NULL, 400, '(invalid_grant) the code was used {n} seconds ago', NULL, NULL),
  ('javascript', 0, 'TokenExpiredError', NULL, 401, 'jwt expired',
   'verify (node_modules/jsonwebtoken/verify.js)', E'    at verify (/app/node_modules/jsonwebtoken/verify.js:{line}:21)\n'),
  ('javascript', 1, 'UnauthorizedError', NULL, 401, 'No authorization header was found', NULL, NULL),
  ('javascript', 2, 'ForbiddenError', NULL, 403, 'invalid csrf value after {n} ms', NULL, NULL),
  ('javascript', 3, 'TypeError', NULL, 500, 'Cannot read properties of undefined (reading ''roles'')', NULL, NULL),
  ('javascript', 4, 'AxiosError', NULL, 504, 'timeout of {n}ms exceeded', NULL, NULL),
  ('go', 0, 'auth.TokenExpiredError', NULL, 401, 'the credential expired {n} seconds ago', NULL, NULL),
  ('go', 1, 'auth.PermissionError', NULL, 403, 'scope {n} is missing', NULL, NULL),
  ('go', 2, 'oauth2.RetrieveError', NULL, 400, 'oauth2: "invalid_grant"', NULL, NULL),
  ('go', 3, 'context.DeadlineExceededError', NULL, 504, 'context deadline exceeded after {n} ms', NULL, NULL),
  ('go', 4, 'ldap.Error', NULL, 503, 'LDAP Result Code {n} "Network Error"', NULL, NULL);
INSERT INTO fill_exception SELECT 'kotlin', place, class, cause, http_status, message, thrower, thrower_text
FROM fill_exception WHERE language = 'java';

CREATE TEMPORARY TABLE fill_cause (class text, frames text[], shown text);
INSERT INTO fill_cause VALUES
  ('java.sql.SQLTransientConnectionException',
   '{com.zaxxer.hikari.pool.HikariPool.createTimeoutException,com.zaxxer.hikari.pool.HikariPool.getConnection,com.zaxxer.hikari.HikariDataSource.getConnection}',
   E'Caused by: java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available, request timed out after 30000ms.\n'
   '\tat com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:696)\n'
   '\tat com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:181)\n'
   '\tat com.zaxxer.hikari.HikariDataSource.getConnection(HikariDataSource.java:128)\n\t... 61 more\n'),
  ('java.net.SocketTimeoutException',
   '{sun.nio.ch.NioSocketImpl.timedRead,sun.nio.ch.NioSocketImpl.implRead,java.net.Socket$SocketInputStream.read,sun.security.ssl.SSLSocketInputRecord.read}',
   E'Caused by: java.net.SocketTimeoutException: Read timed out\n'
   '\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:288)\n'
   '\tat java.base/sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:314)\n'
   '\tat java.base/java.net.Socket$SocketInputStream.read(Socket.java:1099)\n'
   '\tat java.base/sun.security.ssl.SSLSocketInputRecord.read(SSLSocketInputRecord.java:484)\n\t... 74 more\n');

-- The frames around an application's own, innermost first.
CREATE TEMPORARY TABLE fill_frame (language text, place int, frame text, shown text);
INSERT INTO fill_frame
SELECT language, ordinality, name, format(E'\tat %s%s(%s.java:{line})\n',
       CASE WHEN name LIKE 'java.%' THEN 'java.base/' END, name, split_part(reverse(split_part(reverse(name), '.', 2)), '$', 1))
FROM (VALUES ('java'), ('kotlin')) AS jvm (language), unnest(ARRAY[
  'org.springframework.security.authentication.dao.AbstractUserDetailsAuthenticationProvider.authenticate',
  'org.springframework.security.authentication.ProviderManager.authenticate',
  'org.springframework.security.web.authentication.www.BasicAuthenticationFilter.doFilterInternal',
  'org.springframework.web.filter.OncePerRequestFilter.doFilter',
  'org.springframework.security.web.FilterChainProxy.doFilterInternal',
  'org.springframework.security.web.authentication.logout.LogoutFilter.doFilter',
  'org.springframework.security.web.csrf.CsrfFilter.doFilterInternal',
  'org.springframework.web.filter.CorsFilter.doFilterInternal',
  'org.springframework.security.web.header.HeaderWriterFilter.doHeadersAfter',
  'org.springframework.security.web.context.SecurityContextHolderFilter.doFilter',
  'org.springframework.web.filter.DelegatingFilterProxy.invokeDelegate',
  'org.apache.catalina.core.ApplicationFilterChain.internalDoFilter',
  'org.springframework.web.filter.RequestContextFilter.doFilterInternal',
  'org.springframework.web.filter.FormContentFilter.doFilterInternal',
  'org.springframework.web.filter.CharacterEncodingFilter.doFilterInternal',
  'org.apache.catalina.core.StandardWrapperValve.invoke',
  'org.apache.catalina.core.StandardContextValve.invoke',
  'org.apache.catalina.authenticator.AuthenticatorBase.invoke',
  'org.apache.catalina.core.StandardHostValve.invoke',
  'org.apache.catalina.valves.ErrorReportValve.invoke',
  'org.apache.catalina.core.StandardEngineValve.invoke',
  'org.apache.catalina.connector.CoyoteAdapter.service',
  'org.apache.coyote.http11.Http11Processor.service',
  'org.apache.coyote.AbstractProcessorLight.process',
  'org.apache.tomcat.util.net.NioEndpoint$SocketProcessor.doRun',
  'org.apache.tomcat.util.threads.ThreadPoolExecutor.runWorker',
  'java.lang.Thread.run']) WITH ORDINALITY AS frame (name, ordinality);
INSERT INTO fill_frame
SELECT 'dotnet', ordinality, split_part(shown, '(', 1), format(E'   at %s\n', shown)
FROM unnest(ARRAY[
  'Microsoft.AspNetCore.Mvc.Infrastructure.ControllerActionInvoker.InvokeInnerFilterAsync(ResourceExecutingContext context)',
  'Microsoft.AspNetCore.Mvc.Infrastructure.ResourceInvoker.InvokeFilterPipelineAsync(State next, Scope scope)',
  'Microsoft.AspNetCore.Authorization.AuthorizationMiddleware.Invoke(HttpContext context)',
  'Microsoft.AspNetCore.Authentication.AuthenticationMiddleware.Invoke(HttpContext context)',
  'Microsoft.AspNetCore.Routing.EndpointMiddleware.Invoke(HttpContext httpContext)',
  'Microsoft.AspNetCore.Diagnostics.ExceptionHandlerMiddlewareImpl.Invoke(HttpContext context)',
  'Microsoft.AspNetCore.HostFiltering.HostFilteringMiddleware.Invoke(HttpContext context)',
  'Microsoft.AspNetCore.Hosting.HostingApplication.ProcessRequestAsync(Context context)',
  'Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol.ProcessRequests(IHttpApplication application)'
  ]) WITH ORDINALITY AS frame (shown, ordinality);
INSERT INTO fill_frame
SELECT 'python', ordinality, format('%s (site-packages/%s)', function, file),
       format(E'  File "/usr/local/lib/python3.12/site-packages/%s", line {line}, in %s\n    %s\n', file, function, source)
FROM ROWS FROM (
  unnest(ARRAY['handle', 'dispatch', 'view', '_wrapper_view', '_get_response', 'inner', '__call__', 'get_response', 'run_wsgi']),
  unnest(ARRAY['rest_framework/mixins.py', 'rest_framework/views.py', 'django/views/generic/base.py',
    'django/contrib/auth/decorators.py', 'django/core/handlers/base.py', 'django/core/handlers/exception.py',
    'django/utils/deprecation.py', 'django/core/handlers/wsgi.py', 'gunicorn/workers/sync.py']),
  unnest(ARRAY['result = self.perform(request, *args, **kwargs)', 'response = handler(request, *args, **kwargs)',
    'return self.dispatch(request, *args, **kwargs)', 'return view_func(request, *args, **kwargs)',
    'response = wrapped_callback(request, *callback_args, **callback_kwargs)', 'response = get_response(request)',
    'response = response or self.get_response(request)', 'response = self._middleware_chain(request)',
    'for item in respiter:'])) WITH ORDINALITY AS frame (function, file, source, ordinality);
INSERT INTO fill_frame
SELECT 'javascript', ordinality, format('%s (node_modules/%s)', function, file),
       format(E'    at %s (/app/node_modules/%s:{line}:13)\n', function, file)
FROM ROWS FROM (
  unnest(ARRAY['attempt', 'authenticate', 'next', 'dispatch', 'trim_prefix', 'expressInit', 'session', 'cors', 'urlencodedParser', 'handleReturn']),
  unnest(ARRAY['passport/lib/middleware/authenticate.js', 'passport/lib/authenticator.js', 'express/lib/router/route.js',
    'express/lib/router/layer.js', 'express/lib/router/index.js', 'express/lib/middleware/init.js',
    'express-session/index.js', 'cors/lib/index.js', 'body-parser/lib/types/urlencoded.js',
    'express-promise-router/lib/express-promise-router.js'])) WITH ORDINALITY AS frame (function, file, ordinality);
INSERT INTO fill_frame
SELECT 'go', ordinality, frame, format(E'%s(0xc0000b4000, 0xc00031e100)\n\t%s:{line} +0x1c5\n', called, file)
FROM ROWS FROM (
  unnest(ARRAY['github.com/gin-gonic/gin.Context.Next', 'github.com/gin-gonic/gin.Engine.handleHTTPRequest',
    'github.com/gin-gonic/gin.Engine.ServeHTTP', 'golang.org/x/net/http2/h2c.h2cHandler.ServeHTTP',
    'net/http.serverHandler.ServeHTTP', 'net/http.conn.serve']),
  unnest(ARRAY['github.com/gin-gonic/gin.(*Context).Next', 'github.com/gin-gonic/gin.(*Engine).handleHTTPRequest',
    'github.com/gin-gonic/gin.(*Engine).ServeHTTP', 'golang.org/x/net/http2/h2c.h2cHandler.ServeHTTP',
    'net/http.serverHandler.ServeHTTP', 'net/http.(*conn).serve']),
  unnest(ARRAY['/go/pkg/mod/github.com/gin-gonic/gin@v1.10.0/context.go', '/go/pkg/mod/github.com/gin-gonic/gin@v1.10.0/gin.go',
    '/go/pkg/mod/github.com/gin-gonic/gin@v1.10.0/gin.go', '/go/pkg/mod/golang.org/x/net@v0.30.0/http2/h2c/h2c.go',
    '/usr/local/go/src/net/http/server.go', '/usr/local/go/src/net/http/server.go']))
  WITH ORDINALITY AS frame (frame, called, file, ordinality);

CREATE FUNCTION pg_temp.pick(list text[], key bigint, salt bigint) RETURNS text LANGUAGE sql IMMUTABLE
RETURN list[1 + abs(hashint8extended(key, salt) % cardinality(list))];

-- --- shapes: one for each cluster -------------------------------------------------------------------

-- The same number gives the same shape in every run, so a later fill adds to the clusters of an
-- earlier one. The number of shapes grows with the number of errors: 340 for a thousand, 1,900 for
-- a million, 2,800 for five million.
CREATE TEMPORARY TABLE fill_shape_name AS
SELECT shape, s.name AS service_name, s.language, s.namespace, e.class, e.cause, e.http_status, e.message,
       e.thrower, e.thrower_text,
       1 + abs(hashint8extended(shape, 3) % 5)::int AS own_frames,
       4 + abs(hashint8extended(shape, 4) % 24)::int AS library_frames,
       pg_temp.pick('{login,session,token,oauth,saml,mfa,passkey,profile,consent,apikey,device,audit,federation,recovery,invitation,directory}', shape, 5) AS area,
       1.0 / (shape + 3)::float8 ^ 1.05 AS weight,
       -- The share of the fill's time range at which the fault first occurs.
       CASE WHEN shape % 3 = 0 THEN abs(hashint8extended(shape, 6) % 1000) / 1000.0 ELSE 0 END AS born
FROM generate_series(1, greatest(40, round(60 * :total ^ 0.25))::int) AS shape
JOIN fill_service s ON s.place = abs(hashint8extended(shape, 1) % 14)
JOIN fill_exception e ON e.language = s.language
  AND e.place = abs(hashint8extended(shape, 2) % (SELECT count(*) FROM fill_exception x WHERE x.language = s.language));

CREATE TEMPORARY TABLE fill_own_frame AS
WITH named AS (
  SELECT n.shape, n.language, n.namespace, p AS place, n.area, initcap(n.area) AS area_name,
         (ARRAY['Service', 'Controller', 'Validator', 'Filter', 'Provider', 'Repository', 'Handler', 'Resolver',
                'Client', 'Store', 'Registry', 'Verifier'])[1 + (abs(hashint8extended(n.shape, 7) % 12) + p) % 12] AS noun,
         pg_temp.pick('{authenticate,verify,refresh,resolve,load,check,exchange,revoke,issue,decode,lookup,enforce,introspect,validate,rotate,consume}',
                      n.shape, 10 + p) AS method,
         20 + abs(hashint8extended(n.shape, 20 + p) % 400) AS line
  FROM fill_shape_name n, generate_series(1, n.own_frames) p
)
SELECT shape, place, line,
  CASE language
    WHEN 'dotnet' THEN format('%s.%s.%s%s.%sAsync', namespace, area_name, area_name, noun, initcap(method))
    WHEN 'python' THEN format('%s (%s/%s_%s.py)', method, area, area, lower(noun))
    WHEN 'javascript' THEN format('%s (%s/%s%s.js)', method, area, area, noun)
    WHEN 'go' THEN format('%s/%s.%s%s.%s', namespace, area, area_name, noun, initcap(method))
    ELSE format('%s.%s.%s%s.%s', namespace, area, area_name, noun, method) END AS frame,
  CASE language
    WHEN 'java' THEN format(E'\tat %s.%s.%s%s.%s(%s%s.java:{line})\n', namespace, area, area_name, noun, method, area_name, noun)
    WHEN 'kotlin' THEN format(E'\tat %s.%s.%s%s.%s(%s%s.kt:{line})\n', namespace, area, area_name, noun, method, area_name, noun)
    WHEN 'dotnet' THEN format(E'   at %s.%s.%s%s.%sAsync(%sRequest request, CancellationToken cancellationToken) in /src/%s/%s%s.cs:line {line}\n',
                              namespace, area_name, area_name, noun, initcap(method), area_name, area_name, area_name, noun)
    WHEN 'python' THEN format(E'  File "/app/%s/%s/%s_%s.py", line {line}, in %s\n    return self.%s.%s(request)\n',
                              namespace, area, area, lower(noun), method, lower(noun), method)
    WHEN 'javascript' THEN format(E'    at %s (/app/src/%s/%s%s.js:{line}:17)\n', method, area, area, noun)
    WHEN 'go' THEN format(E'%s/%s.(*%s%s).%s(0xc0001a2000, {0xc00042e0c0, 0x18})\n\t/src/%s/%s_%s.go:{line} +0x2f1\n',
                          namespace, area, area_name, noun, initcap(method), area, area, lower(noun)) END AS shown
FROM named;
CREATE INDEX ON fill_own_frame (shape, place);
CREATE INDEX ON fill_frame (language, place);
ANALYZE fill_own_frame, fill_frame;

CREATE TEMPORARY TABLE fill_shape AS
WITH framed AS (
  SELECT n.*, c.shown AS cause_text,
         array_remove(ARRAY[n.thrower], NULL)
           || ARRAY(SELECT o.frame FROM fill_own_frame o WHERE o.shape = n.shape ORDER BY o.place)
           || ARRAY(SELECT f.frame FROM fill_frame f WHERE f.language = n.language AND f.place <= n.library_frames ORDER BY f.place)
           || coalesce(c.frames, '{}') AS frames,
         array_remove(ARRAY[n.class, n.cause], NULL) AS classes,
         (SELECT o.frame FROM fill_own_frame o WHERE o.shape = n.shape AND o.place = 1) AS first_own
  FROM fill_shape_name n LEFT JOIN fill_cause c ON c.class = n.cause
), hashed AS (
  SELECT *, encode(sha256(convert_to('stack-hash-' || :version || E'\nclass ' || array_to_string(classes, E'\nclass ')
                                     || E'\nat ' || array_to_string(frames, E'\nat '), 'UTF8')), 'hex') AS stack_hash
  FROM framed
)
SELECT DISTINCT ON (stack_hash) shape, stack_hash, service_name, language, class, cause, http_status, message, cause_text,
       thrower_text, library_frames, area, weight, born,
       left(reverse(split_part(reverse(class), '.', 1)) || ' in ' || first_own, 255) AS title,
       jsonb_build_object('version', :version, 'classes', to_jsonb(classes), 'frames', to_jsonb(frames), 'message', NULL) AS fingerprint,
       -- The number of affected users: about one for six of its errors.
       greatest(3, (:total * weight / (SELECT sum(weight) FROM fill_shape_name) / 6))::bigint AS pool,
       CASE abs(hashint8extended(shape, 8) % 10) WHEN 0 THEN 'IGNORE' WHEN 1 THEN 'RESOLVE' WHEN 2 THEN 'IGNORE' END AS rule_action,
       pg_temp.pick('{rule:expired-tokens,rule:known-scanners,rule:load-tests}', shape, 9) AS rule_name,
       '/api/v1/' || area || '/' || pg_temp.pick('{start,confirm,refresh,status,callback}', shape, 30) AS request_uri,
       pg_temp.pick('{POST,POST,GET,PUT}', shape, 31) AS http_method
FROM hashed ORDER BY stack_hash, shape;
CREATE UNIQUE INDEX ON fill_shape (shape);

-- The text before and after the message in a trace, for each of six builds with different line
-- numbers.
CREATE TEMPORARY TABLE fill_trace (shape int, build int, head text, tail text);
ALTER TABLE fill_trace ALTER head SET STORAGE PLAIN, ALTER tail SET STORAGE PLAIN;
INSERT INTO fill_trace
WITH shown AS (
  SELECT s.shape, build,
         replace(s.thrower_text, '{line}', (180 + build)::text) AS thrower,
         (SELECT string_agg(replace(o.shown, '{line}', (o.line + 3 * build)::text), '' ORDER BY o.place * CASE s.language WHEN 'python' THEN -1 ELSE 1 END)
          FROM fill_own_frame o WHERE o.shape = s.shape) AS own,
         (SELECT string_agg(replace(f.shown, '{line}', (70 + 13 * f.place + 5 * build)::text), '' ORDER BY f.place * CASE s.language WHEN 'python' THEN -1 ELSE 1 END)
          FROM fill_frame f WHERE f.language = s.language AND f.place <= s.library_frames) AS library
  FROM fill_shape s, generate_series(0, 5) build
)
SELECT t.shape, build,
       CASE s.language WHEN 'python' THEN E'Traceback (most recent call last):\n' || library || own || coalesce(thrower, '') || s.class || ': '
                       WHEN 'go' THEN ''
                       ELSE s.class || ': ' END,
       CASE s.language WHEN 'python' THEN ''
                       WHEN 'go' THEN E'\n\ngoroutine ' || (17 + 31 * build) || E' [running]:\n' || rtrim(own || library, E'\n')
                       ELSE E'\n' || rtrim(coalesce(thrower, '') || own || library || coalesce(s.cause_text, ''), E'\n') END
FROM shown t JOIN fill_shape s USING (shape);
DROP TABLE fill_own_frame, fill_frame, fill_cause, fill_exception, fill_service, fill_shape_name;
CREATE UNIQUE INDEX ON fill_trace (shape, build);
ANALYZE fill_shape, fill_trace;

-- --- one chunk --------------------------------------------------------------------------------------

CREATE TEMPORARY TABLE fill_run AS
SELECT :'run'::text AS run, :first_id::bigint AS first_id, :total::bigint AS total, :chunk::bigint AS chunk,
       :'received_from'::timestamptz AS received_from, :'received_until'::timestamptz AS received_until,
       :'occurred_from'::timestamptz AS occurred_from, :open_letters::int AS open_letters, :'instance'::text AS instance,
       :'scrubber'::text AS scrubber,
       -- One dead letter per so many errors.
       greatest(500, :total / 300)::bigint AS letter_step;

-- The errors of a chunk with their history. Steps that did not happen are null.
CREATE TEMPORARY TABLE fill_error (
  id bigint, dedup_key text, shape int, build int, message text, occurred_at timestamptz, received_at timestamptz,
  recorded_id bigint, recorded_claimed timestamptz, recorded_published timestamptz, recorded_leased timestamptz,
  publish_failed_at timestamptz,
  requested_at timestamptz, requested_id bigint, requested_claimed timestamptz, requested_published timestamptz,
  requested_leased timestamptz,
  failures int, failed_at timestamptz,                 -- of the analysis, and when the first of them was
  analysed_at timestamptz,
  letter text, letter_at timestamptz, closed_at timestamptz, closed_by text, letter_decision text,
  again_at timestamptz, again_by text, again_id bigint, again_done_at timestamptz,
  decision text, decided_at timestamptz, decided_by text, job_id bigint,
  service_name text, environment text, user_pseudonym text, session_pseudonym text, client_ip_pseudonym text,
  trace text, cluster_id bigint, stack_hash text) ON COMMIT DELETE ROWS;

CREATE FUNCTION pg_temp.pseudonym(kind text, number bigint) RETURNS text LANGUAGE sql IMMUTABLE
RETURN 'v1:' || translate(rtrim(encode(sha256((kind || number::text)::bytea), 'base64'), '='), '+/', '-_');

-- The time at a share of the fill, 0 to 1, with a peak in each early afternoon.
CREATE FUNCTION pg_temp.moment(share float8, since timestamptz, until timestamptz) RETURNS timestamptz LANGUAGE sql STABLE
RETURN least(until, greatest(since, since + share * (until - since) - interval '1 second' * (
  0.7 * 86400 / (2 * pi())
  * sin(2 * pi() * ((extract(epoch FROM since) + share * extract(epoch FROM until - since)) / 86400 - 13.0 / 24)))));

-- The status resulting from a decision.
CREATE FUNCTION pg_temp.ended(decision text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE decision WHEN 'PROCESS' THEN 'PROCESSED' WHEN 'FAIL' THEN 'FAILED' WHEN 'RESOLVE' THEN 'RESOLVED'
                     WHEN 'IGNORE' THEN 'IGNORED' END;

CREATE FUNCTION pg_temp.fill_errors(number bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  run fill_run;
  low bigint;
  shapes int[];
  bounds float8[];
  job_shape int;
  patience interval;
  operators CONSTANT text[] := '{oncall-emea,oncall-apac,oncall-amer,identity-team,support-desk}';
BEGIN
  SELECT * INTO run FROM fill_run;
  low := number * run.chunk;
  patience := least(interval '9 days', (run.received_until - run.received_from) / 2);
  PERFORM setseed(('0.' || abs(hashint8extended(run.first_id + number, 0)) % 1000000)::float8);

  -- Clusters that were merged or split are skipped: only the service can route errors from there.
  SELECT array_agg(shape ORDER BY shape), array_agg(upto ORDER BY shape) INTO shapes, bounds
  FROM (SELECT s.shape, sum(s.weight) OVER (ORDER BY s.shape) / sum(s.weight) OVER () AS upto
        FROM fill_shape s
        WHERE s.born <= low::float8 / run.total AND NOT EXISTS (
          SELECT FROM cluster_route r JOIN cluster c ON c.id = r.cluster_id
          WHERE r.stack_hash = s.stack_hash
            AND (c.merged_into IS NOT NULL OR EXISTS (SELECT FROM cluster_split p WHERE p.from_cluster_id = c.id)))) known;
  -- The decision that a job has made on the errors of one cluster.
  job_shape := shapes[1 + (5 + number) % cardinality(shapes)];

  INSERT INTO fill_error (id, dedup_key, shape, build, message, occurred_at, received_at, recorded_id, recorded_claimed,
    recorded_published, recorded_leased, publish_failed_at, requested_at, requested_id, requested_claimed,
    requested_published, requested_leased, failures, failed_at, analysed_at, letter, service_name, environment,
    user_pseudonym, session_pseudonym, client_ip_pseudonym, trace, stack_hash, decision, decided_by, decided_at,
    again_at, again_by)
  WITH drawn AS (
    SELECT i, random() AS a, random() AS b, random() AS c, random() AS d, random() AS e, random() AS f, random() AS g,
           random() AS h, (i + random()) / run.total AS share
    FROM generate_series(low, least(low + run.chunk, run.total) - 1) AS i
  ), placed AS (
    SELECT drawn.*, run.first_id + i AS id,
           pg_temp.moment(share, run.occurred_from, run.received_until) AS moment,
           shapes[1 + width_bucket(a, bounds)] AS shape,
           CASE WHEN i % run.letter_step <> 17 THEN NULL
                WHEN i >= run.total - run.open_letters * run.letter_step THEN 'OPEN'
                WHEN i / run.letter_step % 3 = 0 THEN 'RETRIED' ELSE 'RESOLVED' END AS letter
    FROM drawn
  ), received AS (
    SELECT *, CASE WHEN run.received_from = run.occurred_from THEN moment
                   ELSE run.received_from + share * (run.received_until - run.received_from) END AS received_at
    FROM placed
  ), known AS (
    SELECT p.*, s.stack_hash, s.message, s.service_name, s.rule_action, s.rule_name,
           -- Users of one cluster, some of them far more often than others.
           (hashint8extended(p.shape, 40) & 1048575) + floor(s.pool * b * b)::bigint AS person,
           CASE WHEN p.letter IS NOT NULL THEN 6 WHEN c < 0.005 THEN 1 WHEN c < 0.007 THEN 2 END AS failures,
           p.received_at + interval '5 ms' + d * interval '9 ms' AS claimed,
           c > 0.997 AS refused
    FROM received p JOIN fill_shape s ON s.shape = p.shape
  ), timed AS (
    SELECT *, claimed + CASE WHEN refused THEN interval '9.5 s' ELSE interval '0' END + d * interval '4 ms' AS published FROM known
  ), asked AS (
    SELECT *, published + interval '6 ms' + e * interval '7 ms' AS requested FROM timed
  ), analysed AS (
    SELECT *, requested + interval '12 ms' + f * interval '18 ms'
              + CASE failures WHEN 1 THEN interval '9.7 s' WHEN 2 THEN interval '66 s' ELSE interval '0' END AS analysed
    FROM asked
  ), judged AS (
    SELECT *,
           CASE WHEN letter IS NOT NULL THEN NULL
                WHEN rule_action IS NOT NULL THEN rule_action
                WHEN shape = job_shape THEN 'PROCESS'
                WHEN g < 0.55 THEN (ARRAY['PROCESS', 'RESOLVE', 'FAIL', 'IGNORE'])[1 + floor(h * 4)::int] END AS decision,
           CASE WHEN rule_action IS NOT NULL THEN analysed
                ELSE analysed + interval '20 s' + g * g * patience END AS decided,
           CASE WHEN letter IS NULL AND rule_action IS NULL AND h < 0.015 AND analysed + interval '15 s' < run.received_until
                THEN analysed + interval '5 s' END AS again
    FROM analysed
  )
  SELECT id, md5(run.run || i)::uuid, shape, (f * 5.99)::int % 6,
         replace(message, '{n}', (1 + floor(d * e * 90000))::text),
         moment - interval '50 ms' - h * interval '400 ms'
           - CASE WHEN e > 0.995 THEN d * interval '2 hours' ELSE interval '0' END,
         received_at, nextval('outbox_message_id_seq'),
         CASE WHEN refused THEN claimed + interval '9.5 s' ELSE claimed END, published, published + interval '2 ms',
         CASE WHEN refused THEN claimed + interval '3 ms' END,
         requested, nextval('outbox_message_id_seq'), requested + interval '3 ms', requested + interval '6 ms',
         requested + interval '8 ms', coalesce(failures, 0),
         CASE WHEN failures IS NOT NULL THEN requested + interval '15 ms' END,
         CASE WHEN letter IS NULL THEN analysed END, letter,
         CASE WHEN g > 0.03 THEN service_name END,
         CASE WHEN h < 0.8 THEN 'production' WHEN h < 0.95 THEN 'staging' ELSE 'development' END,
         CASE WHEN c > 0.3 THEN pg_temp.pseudonym('user', person) END,
         CASE WHEN e < 0.6 THEN pg_temp.pseudonym('session', person * 100 + (share * 12)::int) END,
         CASE WHEN c < 0.9 THEN pg_temp.pseudonym('address', person * 3 + (d * 2)::int) END,
         CASE WHEN d < 0.4 THEN md5(i || run.run) END,
         CASE WHEN letter IS NULL THEN stack_hash END,
         CASE WHEN decided < run.received_until THEN decision END,
         CASE WHEN decision IS NOT NULL AND decided < run.received_until THEN coalesce(
           CASE WHEN rule_action IS NOT NULL THEN rule_name END, operators[1 + floor(e * 5)::int]) END,
         CASE WHEN decision IS NOT NULL AND decided < run.received_until THEN decided END,
         again, CASE WHEN again IS NOT NULL THEN operators[1 + floor(d * 5)::int] END
  FROM judged ORDER BY i;
  ANALYZE fill_error;

  UPDATE fill_error SET again_id = nextval('outbox_message_id_seq'), again_done_at = again_at + interval '40 ms'
  WHERE again_at IS NOT NULL;

  -- Six attempts: the first, and one after each of 10 s, 1 min, 10 min, 10 min and 10 min.
  UPDATE fill_error SET letter_at = failed_at + interval '31 minutes 10 seconds' WHERE letter IS NOT NULL;
  UPDATE fill_error SET letter = NULL, letter_at = NULL, failures = 0, failed_at = NULL,
    analysed_at = requested_at + interval '20 ms', stack_hash = s.stack_hash
  FROM fill_shape s WHERE s.shape = fill_error.shape AND letter_at >= run.received_until - interval '10 seconds';
  UPDATE fill_error SET closed_at = letter_at + (0.1 + random() / 2) * least(run.received_until - letter_at, interval '2 days'),
    closed_by = operators[1 + (id % 5)::int],
    letter_decision = CASE letter WHEN 'RESOLVED' THEN (ARRAY['FAIL', 'RESOLVE', 'IGNORE'])[1 + (id % 3)::int] END
  WHERE letter IN ('RETRIED', 'RESOLVED');
  -- A resent event was analysed in the end.
  UPDATE fill_error SET analysed_at = closed_at + interval '60 ms', stack_hash = s.stack_hash
  FROM fill_shape s WHERE s.shape = fill_error.shape AND letter = 'RETRIED';

  -- The job began when the last of its errors had arrived, and processed them in the order of their
  -- ids.
  PERFORM FROM fill_error WHERE shape = job_shape AND decided_by NOT LIKE 'rule:%' HAVING count(*) > 0
    AND max(analysed_at) + interval '1 hour' < run.received_until;
  IF FOUND THEN
    UPDATE fill_error SET decision = 'PROCESS', decided_by = 'identity-team', job_id = job.id,
      again_at = NULL, again_by = NULL, again_id = NULL, again_done_at = NULL,
      decided_at = job.began + floor(job.place / 40) * interval '25 ms'
    FROM (SELECT nextval('job_id_seq') AS id) AS issued
    CROSS JOIN LATERAL (
      SELECT issued.id, e.id AS error_id, max(e.analysed_at) OVER () + interval '30 minutes' AS began,
             row_number() OVER (ORDER BY e.id) AS place
      FROM fill_error e WHERE e.shape = job_shape AND e.decided_by NOT LIKE 'rule:%' AND e.letter IS NULL) AS job
    WHERE fill_error.id = job.error_id;
  END IF;
END $$;

CREATE FUNCTION pg_temp.fill_events() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  signed text := (SELECT instance FROM fill_run);
BEGIN
  INSERT INTO outbox_message (id, aggregate_type, aggregate_id, event_type, idempotency_key, payload, status, retry_count,
    created_at, claimed_at, published_at, published_by, traceparent, retry_round, event_id)
  OVERRIDING SYSTEM VALUE
  SELECT recorded_id, 'auth_error', id, 'auth.error.recorded.v1', 'auth_error:recorded:' || id,
         jsonb_build_object('authErrorId', id, 'requestId', dedup_key, 'occurredAt', occurred_at),
         'PUBLISHED', (publish_failed_at IS NOT NULL)::int, received_at, recorded_claimed, recorded_published, signed,
         '00-' || trace || '-' || left(trace, 16) || '-01', 0, md5('event ' || recorded_id)::uuid
  FROM fill_error
  UNION ALL
  -- A dead letter that was retried has resent its event once.
  SELECT requested_id, 'auth_error', id, 'auth.error.analysis.requested.v1', 'auth_error:analysis_requested:' || id,
         jsonb_build_object('authErrorId', id, 'requestId', dedup_key, 'occurredAt', occurred_at, 'requestedAt', requested_at),
         'PUBLISHED', 0, requested_at,
         CASE letter WHEN 'RETRIED' THEN closed_at + interval '5 ms' ELSE requested_claimed END,
         CASE letter WHEN 'RETRIED' THEN closed_at + interval '9 ms' ELSE requested_published END, signed,
         '00-' || trace || '-' || left(trace, 16) || '-01', CASE letter WHEN 'RETRIED' THEN 1 ELSE 0 END,
         md5('event ' || requested_id)::uuid
  FROM fill_error
  UNION ALL
  SELECT again_id, 'auth_error', id, 'auth.error.analysis.requested.v1', 'auth_error:analysis_requested:' || id || ':2',
         jsonb_build_object('authErrorId', id, 'requestId', dedup_key, 'occurredAt', occurred_at, 'requestedAt', again_at),
         'PUBLISHED', 0, again_at, again_at + interval '8 ms', again_at + interval '13 ms', signed,
         '00-' || trace || '-' || left(trace, 16) || '-01', 0, md5('event ' || again_id)::uuid
  FROM fill_error WHERE again_at IS NOT NULL
  ORDER BY 1;

  INSERT INTO processed_message (outbox_id, status, retry_count, created_at, updated_at, completed_by, event_id)
  SELECT recorded_id, 'DONE', 0, recorded_leased, requested_at, signed, md5('event ' || recorded_id)::uuid FROM fill_error
  UNION ALL
  SELECT requested_id, CASE WHEN analysed_at IS NULL THEN 'DEAD' ELSE 'DONE' END,
         CASE letter WHEN 'RETRIED' THEN 0 ELSE failures END, requested_leased, coalesce(analysed_at, letter_at),
         CASE WHEN analysed_at IS NOT NULL THEN signed END, md5('event ' || requested_id)::uuid
  FROM fill_error
  UNION ALL
  SELECT again_id, 'DONE', 0, again_at + interval '17 ms', again_done_at, signed, md5('event ' || again_id)::uuid
  FROM fill_error WHERE again_at IS NOT NULL
  ORDER BY 1;

  INSERT INTO delivery_attempt (outbox_id, retry_round, stage, attempt, error, instance, failed_at)
  SELECT recorded_id, 0, 'publish', 1, 'the broker did not accept the message', signed, publish_failed_at
  FROM fill_error WHERE publish_failed_at IS NOT NULL
  UNION ALL
  SELECT requested_id, 0, 'consume', attempt, 'the database did not answer in time', signed,
         failed_at + (ARRAY['0 s', '10 s', '70 s', '670 s', '1270 s', '1870 s']::interval[])[attempt]
  FROM fill_error CROSS JOIN LATERAL generate_series(1, failures) AS attempt WHERE failures > 0
  ORDER BY 1, 4;

  INSERT INTO dead_letter (status, source, reason, error, outbox_id, event_id, retry_round, event_type, aggregate_type, aggregate_id,
    payload, traceparent, attempts, created_at, closed_at, closed_by, note, decision)
  SELECT e.letter, 'consumer', 'retries_exhausted', 'the database did not answer in time', m.id, m.event_id, 0, m.event_type,
         m.aggregate_type, m.aggregate_id, m.payload, m.traceparent,
         (SELECT jsonb_agg(jsonb_build_object('stage', a.stage, 'attempt', a.attempt,
                   'at', to_char(a.failed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                   'instance', a.instance, 'error', a.error) ORDER BY a.id)
          FROM delivery_attempt a WHERE a.outbox_id = m.id),
         e.letter_at, e.closed_at, e.closed_by,
         CASE e.letter WHEN 'RESOLVED' THEN 'a slow replica, seen in the incident of that day' END, e.letter_decision
  FROM fill_error e JOIN outbox_message m ON m.id = e.requested_id
  WHERE e.letter IS NOT NULL ORDER BY m.id;
END $$;

-- Without hash joins: each chunk would copy all traces into a table of its own.
CREATE FUNCTION pg_temp.fill_history() RETURNS void LANGUAGE plpgsql SET enable_hashjoin = off AS $$
DECLARE
  signed text := (SELECT instance FROM fill_run);
  scrubber text := (SELECT scrubber FROM fill_run);
BEGIN
  INSERT INTO auth_error (id, dedup_key, status, occurred_at, received_at, status_changed_at, http_status, exception_class,
    exception_message, root_cause_class, root_cause_message, stacktrace, http_method, request_uri, user_agent, service_name,
    environment, trace_id, stack_hash, retry_count, next_retry_at, user_pseudonym, session_pseudonym, client_ip_pseudonym,
    redactions, content_digest, received_by, scrub_version)
  OVERRIDING SYSTEM VALUE
  SELECT e.id, e.dedup_key,
         coalesce(pg_temp.ended(coalesce(e.decision, e.letter_decision)),
                  CASE WHEN e.analysed_at IS NULL THEN 'RETRY' ELSE 'ANALYSIS_COMPLETED' END),
         e.occurred_at, e.received_at,
         coalesce(e.decided_at, e.again_done_at, e.analysed_at, e.closed_at, e.failed_at),
         s.http_status, s.class, e.message, s.cause, CASE WHEN s.cause IS NOT NULL THEN 'Read timed out' END,
         t.head || e.message || t.tail, s.http_method, s.request_uri,
         (ARRAY['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
                'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
                'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
                'okhttp/4.12.0', 'python-requests/2.32.3', 'curl/8.8.0'])[1 + (e.id * 7 % 6)::int],
         e.service_name, e.environment, e.trace, e.stack_hash,
         CASE WHEN e.letter IS NOT NULL THEN 5 ELSE e.failures END,
         CASE e.letter WHEN 'OPEN' THEN e.letter_at - interval '10 ms' END,
         e.user_pseudonym, e.session_pseudonym, e.client_ip_pseudonym,
         CASE WHEN e.message LIKE '%[redacted:email]%' THEN '{"email": 2}'::jsonb END,
         decode(md5(e.dedup_key), 'hex'), signed, scrubber
  FROM fill_error e JOIN fill_shape s USING (shape) JOIN fill_trace t USING (shape, build);

  -- One select for each step: VALUES for each error would be prepared anew each time, a third of
  -- the time.
  INSERT INTO auth_error_transition (auth_error_id, from_status, to_status, cause, changed_by, changed_at)
  SELECT error_id, from_status, to_status, cause, changed_by, changed_at FROM (
    SELECT id AS error_id, 1 AS place, 'NEW' AS from_status, 'ANALYSIS_REQUESTED' AS to_status, 'analysis_requested' AS cause,
           signed AS changed_by, requested_at AS changed_at
    FROM fill_error
    UNION ALL
    SELECT id, 2, 'ANALYSIS_REQUESTED', 'RETRY', 'handler_failed', signed, failed_at FROM fill_error WHERE failed_at IS NOT NULL
    UNION ALL
    SELECT id, 3, CASE WHEN failed_at IS NULL THEN 'ANALYSIS_REQUESTED' ELSE 'RETRY' END, 'ANALYSIS_COMPLETED',
           'analysis_completed', signed, analysed_at
    FROM fill_error WHERE analysed_at IS NOT NULL
    UNION ALL
    SELECT id, 4, 'ANALYSIS_COMPLETED', 'RETRY', 'decision_retry', again_by, again_at FROM fill_error WHERE again_at IS NOT NULL
    UNION ALL
    SELECT id, 5, 'RETRY', 'ANALYSIS_COMPLETED', 'analysis_completed', signed, again_done_at FROM fill_error WHERE again_at IS NOT NULL
    UNION ALL
    SELECT id, 6, 'ANALYSIS_COMPLETED', pg_temp.ended(decision), 'decision_' || lower(decision), decided_by, decided_at
    FROM fill_error WHERE decided_at IS NOT NULL
    UNION ALL
    SELECT id, 7, 'RETRY', pg_temp.ended(letter_decision), 'dead_letter_' || lower(letter_decision), closed_by, closed_at
    FROM fill_error WHERE letter_decision IS NOT NULL) AS step
  ORDER BY error_id, place;

  INSERT INTO decision (auth_error_id, type, note, decided_by, decided_at, job_id)
  SELECT error_id, type, note, decided_by, decided_at, job_id FROM (
    SELECT id AS error_id, 1 AS place, 'RETRY' AS type, 'once more with the new parser' AS note, again_by AS decided_by,
           again_at AS decided_at, NULL::bigint AS job_id
    FROM fill_error WHERE again_at IS NOT NULL
    UNION ALL
    SELECT id, 2, decision, CASE WHEN id % 3 = 0 THEN 'seen, see the runbook' END, decided_by, decided_at, job_id
    FROM fill_error WHERE decided_at IS NOT NULL) AS verdict
  ORDER BY error_id, place;
END $$;

-- Like placement and the delta flusher, but without deltas (triage/clusters/placement.cc,
-- delta_flusher.cc).
CREATE FUNCTION pg_temp.fill_clusters() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  signed text := (SELECT instance FROM fill_run);
BEGIN
  WITH fresh AS (
    SELECT DISTINCT ON (e.stack_hash) e.stack_hash, e.id, e.occurred_at, e.analysed_at, s.title, s.class, s.fingerprint
    FROM fill_error e JOIN fill_shape s USING (shape)
    WHERE e.stack_hash IS NOT NULL AND NOT EXISTS (SELECT FROM cluster_route r WHERE r.stack_hash = e.stack_hash)
    ORDER BY e.stack_hash, e.id
  ), routed AS (
    INSERT INTO cluster_route (stack_hash, version, cluster_id, fingerprint, created_at)
    SELECT stack_hash, (fingerprint ->> 'version')::smallint, nextval('cluster_id_seq'), fingerprint, analysed_at
    FROM fresh ORDER BY stack_hash
    ON CONFLICT (stack_hash) DO NOTHING
    RETURNING stack_hash, cluster_id
  )
  INSERT INTO cluster (id, title, exception_class, state, state_changed_at, state_changed_by, sample_error_id, error_count,
    actor_count, first_seen_at, last_seen_at, created_at)
  OVERRIDING SYSTEM VALUE
  SELECT r.cluster_id, f.title, f.class, 'OPEN', f.analysed_at, signed, f.id, 0, 0, f.occurred_at, f.occurred_at, f.analysed_at
  FROM routed r JOIN fresh f USING (stack_hash);

  UPDATE fill_error e SET cluster_id = r.cluster_id FROM cluster_route r WHERE r.stack_hash = e.stack_hash;
  ANALYZE fill_error (cluster_id);

  INSERT INTO cluster_member (cluster_id, auth_error_id, stack_hash, joined_at)
  SELECT cluster_id, id, stack_hash, analysed_at FROM fill_error WHERE cluster_id IS NOT NULL
  ORDER BY cluster_id, id;

  INSERT INTO job (kind, status, cluster_id, decision, requested_by, total, examined, changed, position, last_position,
    failures, created_at, started_at, finished_at, id)
  OVERRIDING SYSTEM VALUE
  SELECT 'decide', 'DONE', min(cluster_id), min(decision), min(decided_by), count(*), count(*), count(*), max(id), max(id), 0,
         min(decided_at) - interval '2 s', min(decided_at) - interval '1 s', max(decided_at), job_id
  FROM fill_error WHERE job_id IS NOT NULL GROUP BY job_id
  -- Jobs are kept for 30 days.
  HAVING max(decided_at) > now() - interval '29 days';

  WITH sums AS (
    SELECT e.cluster_id, count(*) AS errors, min(e.occurred_at) AS first_seen_at, max(e.occurred_at) AS last_seen_at,
           max(e.received_at) AS received_at
    FROM fill_error e WHERE e.cluster_id IS NOT NULL GROUP BY e.cluster_id
  ), facets AS (
    INSERT INTO cluster_facet AS known (cluster_id, kind, value, error_count, last_seen_at)
    SELECT cluster_id, 'actor', coalesce(user_pseudonym, session_pseudonym, client_ip_pseudonym), count(*), max(occurred_at)
    FROM fill_error WHERE cluster_id IS NOT NULL GROUP BY 1, 3
    UNION ALL
    SELECT cluster_id, 'environment', environment, count(*), max(occurred_at)
    FROM fill_error WHERE cluster_id IS NOT NULL GROUP BY 1, 3
    UNION ALL
    SELECT cluster_id, 'hash', stack_hash, count(*), max(occurred_at) FROM fill_error WHERE cluster_id IS NOT NULL GROUP BY 1, 3
    UNION ALL
    SELECT cluster_id, 'service', service_name, count(*), max(occurred_at)
    FROM fill_error WHERE cluster_id IS NOT NULL AND service_name IS NOT NULL GROUP BY 1, 3
    ORDER BY 1, 2, 3
    ON CONFLICT (cluster_id, kind, value) DO UPDATE
    SET error_count = known.error_count + excluded.error_count,
        last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)
    RETURNING cluster_id, kind, xmax = 0 AS made
  ), actors AS (
    SELECT cluster_id, count(*) AS made FROM facets WHERE kind = 'actor' AND made GROUP BY cluster_id
  ), activity AS (
    INSERT INTO cluster_activity AS known (cluster_id, grain, starts_at, error_count)
    SELECT cluster_id, '5min', date_bin('5 minutes', occurred_at, 'epoch'), count(*) FROM fill_error
    WHERE cluster_id IS NOT NULL AND date_bin('5 minutes', occurred_at, 'epoch') >= now() - interval '26 hours' GROUP BY 1, 3
    UNION ALL
    SELECT cluster_id, 'hour', date_bin('1 hour', occurred_at, 'epoch'), count(*) FROM fill_error
    WHERE cluster_id IS NOT NULL AND date_bin('1 hour', occurred_at, 'epoch') >= now() - interval '32 days' GROUP BY 1, 3
    ORDER BY 1, 2, 3
    ON CONFLICT (cluster_id, grain, starts_at) DO UPDATE SET error_count = known.error_count + excluded.error_count
  ), locked AS (
    SELECT c.id, c.state, c.state = 'RESOLVED' AND sums.received_at > c.state_changed_at AS regresses
    FROM cluster c JOIN sums ON sums.cluster_id = c.id ORDER BY c.id FOR UPDATE OF c
  ), added AS (
    UPDATE cluster SET
      error_count = error_count + sums.errors,
      actor_count = actor_count + coalesce(actors.made, 0),
      first_seen_at = least(cluster.first_seen_at, sums.first_seen_at),
      last_seen_at = greatest(cluster.last_seen_at, sums.last_seen_at),
      state = CASE WHEN locked.regresses THEN 'REGRESSED' ELSE cluster.state END,
      state_changed_at = CASE WHEN locked.regresses THEN now() ELSE cluster.state_changed_at END,
      state_changed_by = CASE WHEN locked.regresses THEN signed ELSE cluster.state_changed_by END,
      state_note = CASE WHEN locked.regresses THEN NULL ELSE cluster.state_note END
    FROM locked JOIN sums ON sums.cluster_id = locked.id LEFT JOIN actors ON actors.cluster_id = locked.id
    WHERE cluster.id = locked.id
  )
  INSERT INTO cluster_transition (cluster_id, from_state, to_state, cause, changed_by, changed_at)
  SELECT id, state, 'REGRESSED', 'regression', signed, now() FROM locked WHERE regresses;
END $$;

CREATE FUNCTION pg_temp.fill_chunk(number bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  -- Shared with transactions that place errors: clusters are neither merged nor split until the
  -- chunk is committed.
  PERFORM pg_advisory_xact_lock_shared(7018120539427664997);
  PERFORM pg_temp.fill_errors(number);
  PERFORM pg_temp.fill_history();
  PERFORM pg_temp.fill_events();
  PERFORM pg_temp.fill_clusters();
  RETURN (SELECT count(*) FROM fill_error);
END $$;
