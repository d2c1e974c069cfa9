#include <array>

#include "tests/stack_hash_cases.h"

namespace auth_errors::domain {
namespace {

constexpr auto kJavaMeeting = std::to_array<TracePair>({
    {"Dropwizard's marks",
     "! a.E: m\n! at a.B.c(B.java:1)\n! Caused by: a.F: x\n! at a.B.d(B.java:1)",
     "a.E: m\n\tat a.B.c(B.java:1)\nCaused by: a.F: x\n\tat a.B.d(B.java:1)"},
    {"line numbers", "\tat com.acme.Login.check(Login.java:42)",
     "\tat com.acme.Login.check(Login.java:57)"},
    {"no debug information", "\tat com.acme.Login.check(Login.java:42)",
     "\tat com.acme.Login.check(Unknown Source)"},
    {"native method", "\tat java.lang.Object.wait(Native Method)",
     "\tat java.lang.Object.wait(Object.java:338)"},
    {"indentation", "\tat com.acme.Login.check(Login.java:42)",
     "    at com.acme.Login.check(Login.java:42)"},
    {"carriage returns", "\tat a.B.c(B.java:1)\r\n\tat a.B.d(B.java:2)\r\n",
     "\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)"},
    {"jar and version behind the frame",
     "\tat org.springframework.security.core.A.b(A.java:1) ~[spring-security-core-6.2.1.jar:6.2.1]",
     "\tat org.springframework.security.core.A.b(A.java:9) "
     "~[spring-security-core-6.3.0.jar!/:6.3.0]"},
    {"runtime's version behind the frame",
     "\tat java.lang.Thread.run(Thread.java:748) ~[?:1.8.0_292]",
     "\tat java.lang.Thread.run(Thread.java:750) [?:1.8.0_402]"},
    {"module", "\tat java.base/java.lang.Thread.run(Thread.java:833)",
     "\tat java.lang.Thread.run(Thread.java:748)"},
    {"module with a version", "\tat java.base@17.0.9/java.lang.Thread.run(Thread.java:840)",
     "\tat java.base@21/java.lang.Thread.run(Thread.java:1583)"},
    {"class loader", "\tat app//com.acme.Login.check(Login.java:42)",
     "\tat com.acme.Login.check(Login.java:42)"},
    {"lambda's counter", "\tat com.acme.Login.lambda$check$0(Login.java:42)",
     "\tat com.acme.Login.lambda$check$7(Login.java:50)"},
    {"serializable lambda", "\tat com.acme.Login.lambda$check$f5a2b1c3$1(Login.java:42)",
     "\tat com.acme.Login.lambda$check$0a7d44e1$2(Login.java:42)"},
    {"lambda's class", "\tat com.acme.Login$$Lambda$14/0x0000000800c1a000.apply(Unknown Source)",
     "\tat com.acme.Login$$Lambda$977/0x00007f1e2c0b3a18.apply(Unknown Source)"},
    {"lambda's class of old and new runtimes",
     "\tat com.acme.Login$$Lambda$14/1234567890.apply(Unknown Source)",
     "\tat com.acme.Login$$Lambda/0x000001f2a8c1a000.apply(Unknown Source)"},
    {"anonymous class", "\tat com.acme.Login$1.run(Login.java:42)",
     "\tat com.acme.Login$3.run(Login.java:90)"},
    {"CGLIB class", "\tat com.acme.Login$$EnhancerBySpringCGLIB$$3f2a9c1b.check(<generated>)",
     "\tat com.acme.Login$$EnhancerBySpringCGLIB$$a8810e2d.check(<generated>)"},
    {"CGLIB class of Spring 6", "\tat com.acme.Login$$SpringCGLIB$$0.check(<generated>)",
     "\tat com.acme.Login$$SpringCGLIB$$2.check(<generated>)"},
    {"FastClass", "\tat com.acme.Login$$FastClassBySpringCGLIB$$3f2a9c1b.invoke(<generated>)",
     "\tat com.acme.Login$$FastClassBySpringCGLIB$$77ab01cd.invoke(<generated>)"},
    {"dynamic proxy", "\tat com.sun.proxy.$Proxy42.login(Unknown Source)",
     "\tat com.sun.proxy.$Proxy107.login(Unknown Source)"},
    {"dynamic proxy in a module", "\tat jdk.proxy2/jdk.proxy2.$Proxy42.login(Unknown Source)",
     "\tat jdk.proxy3/jdk.proxy3.$Proxy51.login(Unknown Source)"},
    {"Hibernate's proxy", "\tat com.acme.User$HibernateProxy$Zr1xQk3v.getName(Unknown Source)",
     "\tat com.acme.User$HibernateProxy$Bw9PqLm2.getName(Unknown Source)"},
    {"ByteBuddy", "\tat com.acme.User$ByteBuddy$kQ2w8Xz1.getName(Unknown Source)",
     "\tat com.acme.User$ByteBuddy$Pp0aLs7d.getName(Unknown Source)"},
    {"access method", "\tat com.acme.Login.access$000(Login.java:12)",
     "\tat com.acme.Login.access$300(Login.java:14)"},
    {"reflection before and after the runtime has compiled it",
     "\tat com.acme.Login.check(Login.java:42)\n"
     "\tat sun.reflect.NativeMethodAccessorImpl.invoke0(Native Method)\n"
     "\tat sun.reflect.NativeMethodAccessorImpl.invoke(NativeMethodAccessorImpl.java:62)\n"
     "\tat sun.reflect.DelegatingMethodAccessorImpl.invoke(DelegatingMethodAccessorImpl.java:43)\n"
     "\tat java.lang.reflect.Method.invoke(Method.java:498)",
     "\tat com.acme.Login.check(Login.java:42)\n"
     "\tat sun.reflect.GeneratedMethodAccessor1247.invoke(Unknown Source)\n"
     "\tat sun.reflect.DelegatingMethodAccessorImpl.invoke(DelegatingMethodAccessorImpl.java:43)\n"
     "\tat java.lang.reflect.Method.invoke(Method.java:498)"},
    {"reflection of old and new runtimes",
     "\tat com.acme.Login.check(Login.java:42)\n"
     "\tat "
     "jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)\n"
     "\tat java.base/java.lang.reflect.Method.invoke(Method.java:580)",
     "\tat com.acme.Login.check(Login.java:42)\n"
     "\tat java.base/jdk.internal.reflect.GeneratedMethodAccessor12.invoke(Unknown Source)\n"
     "\tat java.base/java.lang.reflect.Method.invoke(Method.java:566)"},
    {"method handles",
     "\tat java.base/java.lang.invoke.LambdaForm$MH/0x0000000800c1a000.invoke(LambdaForm$MH)\n\tat "
     "a.B.c(B.java:1)",
     "\tat java.base/java.lang.invoke.Invokers$Holder.linkToTargetMethod(Invokers$Holder)\n\tat "
     "a.B.c(B.java:1)"},
    {"Scala's closure", "\tat com.acme.Login$.$anonfun$check$1(Login.scala:42)",
     "\tat com.acme.Login$.$anonfun$check$3$adapted(Login.scala:44)"},
    {"Groovy's closure", "\tat com.acme.Login$_check_closure1.doCall(Login.groovy:42)",
     "\tat com.acme.Login$_check_closure4.doCall(Login.groovy:50)"},
    {"thread in the header",
     "Exception in thread \"http-nio-8080-exec-4\" a.E: m\n\tat a.B.c(B.java:1)",
     "Exception in thread \"http-nio-8080-exec-11\" a.E: m\n\tat a.B.c(B.java:1)"},
    {"message in the header", "a.E: Bad credentials for user 1\n\tat a.B.c(B.java:1)",
     "a.E: Bad credentials for user 2\n\tat a.B.c(B.java:1)"},
    {"message of several lines", "a.E: one\nat least two\n\tat a.B.c(B.java:1)",
     "a.E: one\n\tat a.B.c(B.java:1)"},
    {"parser's message",
     "a.E: Unexpected character\n at [Source: (String)\"{\"; line: 1, column: 2]\n\tat "
     "a.B.c(B.java:1)",
     "a.E: Unexpected character\n at [Source: (String)\"[x\"; line: 7, column: 31]\n\tat "
     "a.B.c(B.java:1)"},
    {"frames in common",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.F\n\tat a.B.d(B.java:2)\n\t... 42 more",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.F\n\tat a.B.d(B.java:2)\n\t... 57 common frames "
     "omitted"},
    {"cause's message", "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.F: user 1\n\tat a.B.d(B.java:2)",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.F: user 2, locked\n\tat a.B.d(B.java:2)"},
    {"suppressed exception",
     "a.E\n\tat a.B.c(B.java:1)\n\tSuppressed: a.S: closing\n\t\tat a.S.close(S.java:1)\n\t\t... 1 "
     "more\nCaused by: a.F\n\tat a.B.d(B.java:2)",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.F\n\tat a.B.d(B.java:2)"},
    {"suppressed exception with a cause",
     "a.E\n\tat a.B.c(B.java:1)\n\tSuppressed: a.S: closing\n\t\tat a.S.close(S.java:1)\n\tCaused "
     "by: a.T\n\t\tat a.T.x(T.java:1)",
     "a.E\n\tat a.B.c(B.java:1)"},
    {"suppressed exception in trimmed lines",
     "a.E\nat a.B.c(B.java:1)\nSuppressed: a.S: closing\nat a.S.close(S.java:1)\nCaused by: "
     "a.F\nat a.B.d(B.java:2)",
     "a.E\nat a.B.c(B.java:1)\nCaused by: a.F\nat a.B.d(B.java:2)"},
    {"root cause first", "a.F: x\n\tat a.B.d(B.java:2)\nWrapped by: a.E: y\n\tat a.B.c(B.java:1)",
     "a.E: y\n\tat a.B.c(B.java:1)\nCaused by: a.F: x\n\tat a.B.d(B.java:2)"},
    {"depth of a recursion",
     "\tat a.T.walk(T.java:3)\n\tat a.T.walk(T.java:3)\n\tat a.T.walk(T.java:3)\n\tat "
     "a.T.main(T.java:9)",
     "\tat a.T.walk(T.java:3)\n\tat a.T.walk(T.java:3)\n\tat a.T.main(T.java:9)"},
    {"depth of a recursion through two methods",
     "\tat a.J.write(J.java:1)\n\tat a.J.field(J.java:2)\n\tat a.J.write(J.java:1)\n\tat "
     "a.J.field(J.java:2)\n\tat a.J.main(J.java:3)",
     "\tat a.J.write(J.java:1)\n\tat a.J.field(J.java:2)\n\tat a.J.write(J.java:1)\n\tat "
     "a.J.field(J.java:2)\n"
     "\tat a.J.write(J.java:1)\n\tat a.J.field(J.java:2)\n\tat a.J.main(J.java:3)"},
    {"Spring Security",
     "org.springframework.security.authentication.BadCredentialsException: Bad credentials\n"
     "\tat "
     "org.springframework.security.authentication.dao.DaoAuthenticationProvider."
     "additionalAuthenticationChecks(DaoAuthenticationProvider.java:79)\n"
     "\tat "
     "org.springframework.security.authentication.ProviderManager.authenticate(ProviderManager."
     "java:182)\n"
     "\tat com.acme.web.LoginController$$EnhancerBySpringCGLIB$$8a0b1c2d.login(<generated>)\n"
     "\tat java.base/java.lang.Thread.run(Thread.java:833)",
     "org.springframework.security.authentication.BadCredentialsException: Invalid password for "
     "[redacted:email]\n"
     "\tat "
     "org.springframework.security.authentication.dao.DaoAuthenticationProvider."
     "additionalAuthenticationChecks(DaoAuthenticationProvider.java:88) "
     "~[spring-security-core-6.3.1.jar:6.3.1]\n"
     "\tat "
     "org.springframework.security.authentication.ProviderManager.authenticate(ProviderManager."
     "java:201) ~[spring-security-core-6.3.1.jar:6.3.1]\n"
     "\tat com.acme.web.LoginController$$SpringCGLIB$$0.login(<generated>) ~[!/:na]\n"
     "\tat java.base/java.lang.Thread.run(Thread.java:1583) ~[na:na]"},
    {"Keycloak on Quarkus",
     "org.keycloak.services.ErrorResponseException: HTTP 401 Unauthorized\n"
     "\tat "
     "org.keycloak.services.managers.AuthenticationManager.verifyIdentityToken("
     "AuthenticationManager.java:1412)\n"
     "\tat org.keycloak.services.resources.admin.AdminRoot_ClientProxy.auth(Unknown Source)\n"
     "\tat io.quarkus.vertx.core.runtime.VertxCoreRecorder$14.runWith(VertxCoreRecorder.java:635)",
     "org.keycloak.services.ErrorResponseException: HTTP 401 Unauthorized\n"
     "\tat "
     "org.keycloak.services.managers.AuthenticationManager.verifyIdentityToken("
     "AuthenticationManager.java:1520)\n"
     "\tat org.keycloak.services.resources.admin.AdminRoot_ClientProxy.auth(Unknown Source)\n"
     "\tat io.quarkus.vertx.core.runtime.VertxCoreRecorder$15.runWith(VertxCoreRecorder.java:640)"},
});

constexpr auto kJavaParting = std::to_array<TracePair>({
    {"method", "\tat com.acme.Login.check(Login.java:42)",
     "\tat com.acme.Login.verify(Login.java:42)"},
    {"class", "\tat com.acme.Login.check(Login.java:42)",
     "\tat com.acme.Logout.check(Logout.java:42)"},
    {"package", "\tat com.acme.web.Login.check(Login.java:42)",
     "\tat com.acme.api.Login.check(Login.java:42)"},
    {"caller", "\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:1)",
     "\tat a.B.c(B.java:1)\n\tat a.B.e(B.java:1)"},
    {"order", "\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:1)",
     "\tat a.B.d(B.java:1)\n\tat a.B.c(B.java:1)"},
    {"inner class", "\tat com.acme.Login$Form.check(Login.java:42)",
     "\tat com.acme.Login$Token.check(Login.java:42)"},
    {"lambda's method", "\tat com.acme.Login.lambda$check$0(Login.java:42)",
     "\tat com.acme.Login.lambda$reset$0(Login.java:42)"},
    {"constructor", "\tat com.acme.Login.<init>(Login.java:42)",
     "\tat com.acme.Login.<clinit>(Login.java:42)"},
    {"numbered method", "\tat com.acme.Login.step1(Login.java:42)",
     "\tat com.acme.Login.step2(Login.java:42)"},
    {"digest's method", "\tat com.acme.Hash.sha256(Hash.java:4)",
     "\tat com.acme.Hash.sha512(Hash.java:4)"},
    {"cause's class", "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.F: x\n\tat a.B.d(B.java:2)",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.G: x\n\tat a.B.d(B.java:2)"},
    {"a cause more", "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.F\n\t... 3 more",
     "a.E\n\tat a.B.c(B.java:1)"},
    {"cause's frame", "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.F\n\tat a.B.d(B.java:2)",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.F\n\tat a.B.x(B.java:2)"},
    {"order of the causes",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.F\n\t... 3 more\nCaused by: a.G\n\t... 4 more",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.G\n\t... 3 more\nCaused by: a.F\n\t... 4 more"},
    {"recursion and none",
     "\tat a.T.walk(T.java:3)\n\tat a.T.step(T.java:3)\n\tat a.T.walk(T.java:3)",
     "\tat a.T.walk(T.java:3)\n\tat a.T.step(T.java:3)"},
});

constexpr auto kKotlinMeeting = std::to_array<TracePair>({
    {"lambda", "\tat com.acme.LoginKt.check$lambda$3(Login.kt:42)",
     "\tat com.acme.LoginKt.check$lambda$5(Login.kt:49)"},
    {"lambda of older compilers", "\tat com.acme.LoginKt.check$lambda-3(Login.kt:42)",
     "\tat com.acme.LoginKt.check$lambda$0(Login.kt:49)"},
    {"lambda's class", "\tat com.acme.LoginKt$check$1.invoke(Login.kt:42)",
     "\tat com.acme.LoginKt$check$2.invoke(Login.kt:49)"},
    {"coroutine's class", "\tat com.acme.LoginKt$check$1.invokeSuspend(Login.kt:42)",
     "\tat com.acme.LoginKt$check$4.invokeSuspend(Login.kt)"},
    {"resumed coroutine",
     "\tat com.acme.LoginKt.check(Login.kt:42)\n\tat "
     "com.acme.LoginKt$check$1.invokeSuspend(Login.kt)\n"
     "\tat kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:33)",
     "\tat com.acme.LoginKt.check(Login.kt:42)\n"
     "\tat kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:33)"},
    {"access method", "\tat com.acme.LoginKt.access$check(Login.kt:1)",
     "\tat com.acme.LoginKt.check(Login.kt:1)"},
    {"default arguments", "\tat com.acme.LoginKt.check$default(Login.kt:1)",
     "\tat com.acme.LoginKt.check(Login.kt:3)"},
    {"suspending override", "\tat com.acme.Login.check$suspendImpl(Login.kt:12)",
     "\tat com.acme.Login.check(Login.kt:12)"},
    {"coroutine's boundary",
     "\tat com.acme.LoginKt.check(Login.kt:4)\n\tat "
     "_COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)\n\tat com.acme.LoginKt.main(Login.kt:9)",
     "\tat com.acme.LoginKt.check(Login.kt:5)\n\tat com.acme.LoginKt.main(Login.kt:10)"},
    {"coroutine's boundary of older libraries",
     "\tat a.K.c(K.kt:4)\n\tat (Coroutine boundary. (Coroutine boundary))\n\tat a.K.d(K.kt:9)",
     "\tat a.K.c(K.kt:5)\n\tat a.K.d(K.kt:10)"},
    {"Ktor",
     "io.ktor.server.plugins.BadRequestException: no token\n"
     "\tat com.acme.AuthKt$configureAuth$1$2.invokeSuspend(Auth.kt:31)\n"
     "\tat io.ktor.util.pipeline.SuspendFunctionGun.loop(SuspendFunctionGun.kt:120)\n"
     "\tat kotlinx.coroutines.DispatchedTask.run(DispatchedTask.kt:108)",
     "io.ktor.server.plugins.BadRequestException: no token\n"
     "\tat com.acme.AuthKt$configureAuth$1$3.invokeSuspend(Auth.kt:38)\n"
     "\tat io.ktor.util.pipeline.SuspendFunctionGun.loop(SuspendFunctionGun.kt:98)\n"
     "\tat kotlinx.coroutines.DispatchedTask.run(DispatchedTask.kt:111)"},
});

constexpr auto kKotlinParting = std::to_array<TracePair>({
    {"function", "\tat com.acme.LoginKt.check(Login.kt:42)",
     "\tat com.acme.LoginKt.reset(Login.kt:42)"},
    {"coroutine's function", "\tat com.acme.LoginKt$check$1.invokeSuspend(Login.kt:42)",
     "\tat com.acme.LoginKt$reset$1.invokeSuspend(Login.kt:42)"},
    {"file", "\tat com.acme.LoginKt.check(Login.kt:42)",
     "\tat com.acme.TokenKt.check(Token.kt:42)"},
    {"companion", "\tat com.acme.Login$Companion.check(Login.kt:42)",
     "\tat com.acme.Login.check(Login.kt:42)"},
    {"default arguments of others", "\tat com.acme.LoginKt.check$default(Login.kt:1)",
     "\tat com.acme.LoginKt.reset$default(Login.kt:1)"},
});

}  // namespace

LanguageCases javaCases() {
  return {.language = "Java", .meeting = kJavaMeeting, .parting = kJavaParting};
}

LanguageCases kotlinCases() {
  return {.language = "Kotlin", .meeting = kKotlinMeeting, .parting = kKotlinParting};
}

}  // namespace auth_errors::domain
