#include <array>

#include "tests/domain/stack/stack_hash_cases.h"

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
    {"jar and version after the frame",
     "\tat org.springframework.security.core.A.b(A.java:1) ~[spring-security-core-6.2.1.jar:6.2.1]",
     "\tat org.springframework.security.core.A.b(A.java:9) "
     "~[spring-security-core-6.3.0.jar!/:6.3.0]"},
    {"runtime's version after the frame",
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
    {"CGLIB of Spring 5 and 6",
     "java.lang.IllegalStateException: x\n\tat "
     "com.acme.auth.LoginService.login(LoginService.java:10)\n\tat "
     "com.acme.auth.LoginService$$FastClassBySpringCGLIB$$8d2f1a3b.invoke(<generated>)\n\tat "
     "org.springframework.cglib.proxy.MethodProxy.invoke(MethodProxy.java:218)\n\tat "
     "com.acme.auth.LoginService$$EnhancerBySpringCGLIB$$1a2b3c4d.login(<generated>)\n\tat "
     "com.acme.auth.LoginController.post(LoginController.java:33)",
     "java.lang.IllegalStateException: x\n\tat "
     "com.acme.auth.LoginService.login(LoginService.java:12)\n\tat "
     "com.acme.auth.LoginService$$FastClassBySpringCGLIB$$99aa1a3b.invoke(<generated>)\n\tat "
     "org.springframework.cglib.proxy.MethodProxy.invoke(MethodProxy.java:218)\n\tat "
     "com.acme.auth.LoginService$$EnhancerBySpringCGLIB$$ffee3c4d.login(<generated>)\n\tat "
     "com.acme.auth.LoginController.post(LoginController.java:35)"},
    {"proxy of the JDK 8 and 17",
     "\tat com.sun.proxy.$Proxy123.login(Unknown Source)\n\tat com.acme.C.post(C.java:3)",
     "\tat jdk.proxy2/jdk.proxy2.$Proxy98.login(Unknown Source)\n\tat com.acme.C.post(C.java:3)"},
    {"reflection native, generated and method handle",
     "\tat com.acme.C.post(C.java:3)\n\tat sun.reflect.NativeMethodAccessorImpl.invoke0(Native "
     "Method)\n\tat "
     "sun.reflect.NativeMethodAccessorImpl.invoke(NativeMethodAccessorImpl.java:62)\n\tat "
     "sun.reflect.DelegatingMethodAccessorImpl.invoke(DelegatingMethodAccessorImpl.java:43)\n\tat "
     "java.lang.reflect.Method.invoke(Method.java:498)\n\tat com.acme.D.run(D.java:1)",
     "\tat com.acme.C.post(C.java:3)\n\tat "
     "java.base/"
     "jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)"
     "\n\tat java.base/java.lang.reflect.Method.invoke(Method.java:580)\n\tat "
     "com.acme.D.run(D.java:1)"},
    {"constructor accessors",
     "\tat com.acme.C.<init>(C.java:3)\n\tat "
     "sun.reflect.NativeConstructorAccessorImpl.newInstance0(Native Method)\n\tat "
     "sun.reflect.NativeConstructorAccessorImpl.newInstance(NativeConstructorAccessorImpl.java:62)"
     "\n\tat "
     "sun.reflect.DelegatingConstructorAccessorImpl.newInstance(DelegatingConstructorAccessorImpl."
     "java:45)\n\tat java.lang.reflect.Constructor.newInstance(Constructor.java:423)\n\tat "
     "com.acme.D.run(D.java:1)",
     "\tat com.acme.C.<init>(C.java:3)\n\tat "
     "jdk.internal.reflect.GeneratedConstructorAccessor42.newInstance(Unknown Source)\n\tat "
     "java.base/"
     "jdk.internal.reflect.DelegatingConstructorAccessorImpl.newInstance("
     "DelegatingConstructorAccessorImpl.java:45)\n\tat "
     "java.base/java.lang.reflect.Constructor.newInstanceWithCaller(Constructor.java:499)\n\tat "
     "java.base/java.lang.reflect.Constructor.newInstance(Constructor.java:480)\n\tat "
     "com.acme.D.run(D.java:1)"},
    {"hidden lambda shown or not",
     "\tat com.acme.C.lambda$post$3(C.java:3)\n\tat com.acme.C$$Lambda$14/1831932724.apply(Unknown "
     "Source)\n\tat com.acme.C.post(C.java:9)",
     "\tat com.acme.C.lambda$post$0(C.java:4)\n\tat com.acme.C.post(C.java:8)"},
    {"lambda of a static initialiser", "\tat com.acme.C.lambda$static$3(C.java:3)",
     "\tat com.acme.C.lambda$static$11(C.java:3)"},
    {"named module with a loader", "\tat app/com.acme.auth@1.2.3/com.acme.C.post(C.java:3)",
     "\tat com.acme.auth@2.0.0/com.acme.C.post(C.java:7)"},
    {"packaging data",
     "\tat com.acme.C.post(C.java:3) ~[classes!/:1.2.3]\n\tat "
     "org.springframework.web.M.call(M.java:3) ~[spring-web-6.1.0.jar!/:6.1.0]\n\tat "
     "java.base/java.lang.Thread.run(Thread.java:833) [?:?]",
     "\tat com.acme.C.post(C.java:3)\n\tat org.springframework.web.M.call(M.java:3) "
     "[spring-web-6.2.0.jar:6.2.0]\n\tat java.base/java.lang.Thread.run(Thread.java:833) ~[na:na]"},
    {"a logger before the trace",
     "2024-05-06 07:08:09.123 ERROR 1 --- [nio-8080-exec-7] c.a.LoginController : "
     "failed\n\njava.lang.Error: e\n\tat com.acme.C.post(C.java:3)",
     "2025-01-02T03:04:05.678Z ERROR 7 --- [shop] [nio-8080-exec-12] c.a.LoginController : "
     "failed\n\njava.lang.Error: e\n\tat com.acme.C.post(C.java:3)"},
    {"a logger before each line",
     "2024-05-06 07:08:09.123 ERROR java.lang.Error: e\n2024-05-06 07:08:09.123 ERROR \tat "
     "com.acme.C.post(C.java:3)\n2024-05-06 07:08:09.123 ERROR \tat com.acme.D.post(D.java:3)",
     "java.lang.Error: e\n\tat com.acme.C.post(C.java:3)\n\tat com.acme.D.post(D.java:3)"},
    {"ByteBuddy and Mockito",
     "\tat com.acme.User$MockitoMock$1234567890.getName(Unknown Source)\n\tat "
     "com.acme.User$ByteBuddy$a1B2c3D4.get(Unknown Source)",
     "\tat com.acme.User$MockitoMock$aBcDeFgH.getName(Unknown Source)\n\tat "
     "com.acme.User$ByteBuddy$z9Y8x7W6.get(Unknown Source)"},
    {"javassist",
     "\tat com.acme.User_$$_jvst3a2_1f.getName(User_$$_jvst3a2_1f.java)\n\tat "
     "com.acme.C.post(C.java:3)",
     "\tat com.acme.User_$$_jvstb11_0.getName(User_$$_jvstb11_0.java)\n\tat "
     "com.acme.C.post(C.java:3)"},
    {"Guice's class",
     "\tat com.acme.Svc$$EnhancerByGuice$$a1b2c3d4.run(<generated>)\n\tat "
     "com.acme.C.post(C.java:3)",
     "\tat com.acme.Svc$$EnhancerByGuice$$0f0e0d0c.run(<generated>)\n\tat "
     "com.acme.C.post(C.java:3)"},
    {"circular reference",
     "\tat com.acme.C.post(C.java:3)\nCaused by: java.io.IOException: a\n\tat "
     "com.acme.D.read(D.java:4)\n\t[CIRCULAR REFERENCE:java.lang.Error: e]",
     "\tat com.acme.C.post(C.java:5)\nCaused by: java.io.IOException: a\n\tat "
     "com.acme.D.read(D.java:6)\n\t[CIRCULAR REFERENCE: java.lang.Error: e]"},
    {"message that mentions a call",
     "java.lang.Error: failed at login(17)\n\tat com.acme.C.post(C.java:3)",
     "java.lang.Error: failed at logout(18) again\n\tat com.acme.C.post(C.java:3)"},
    {"AspectJ",
     "\tat com.acme.C.post_aroundBody0(C.java:3)\n\tat com.acme.C$AjcClosure1.run(C.java:1)\n\tat "
     "com.acme.D.x(D.java:3)",
     "\tat com.acme.C.post_aroundBody2(C.java:5)\n\tat com.acme.C$AjcClosure3.run(C.java:1)\n\tat "
     "com.acme.D.x(D.java:3)"},
    {"Reactor back-trace",
     "reactor.core.Exceptions$X: e\n\tat com.acme.C.post(C.java:3)\n\tSuppressed: "
     "reactor.core.publisher.FluxOnAssembly$OnAssemblyException: \nError has been observed at the "
     "following site(s):\n\t*__checkpoint ⇢ Handler com.acme.C#post(Long) "
     "[DispatcherHandler]\n\t*__checkpoint ⇢ HTTP POST \"/login/17\" "
     "[ExceptionHandlingWebHandler]\nOriginal Stack Trace:\n\t\tat "
     "com.acme.C.post(C.java:3)\n\t\tat reactor.core.publisher.FluxMap.onNext(FluxMap.java:106)",
     "reactor.core.Exceptions$X: e\n\tat com.acme.C.post(C.java:3)\n\tSuppressed: "
     "reactor.core.publisher.FluxOnAssembly$OnAssemblyException: \nError has been observed at the "
     "following site(s):\n\t*__checkpoint ⇢ Handler com.acme.C#post(Long) "
     "[DispatcherHandler]\n\t*__checkpoint ⇢ HTTP POST \"/login/18\" "
     "[ExceptionHandlingWebHandler]\nOriginal Stack Trace:\n\t\tat "
     "com.acme.C.post(C.java:4)\n\t\tat reactor.core.publisher.FluxMap.onNext(FluxMap.java:107)"},
    {"Scala anonymous functions",
     "\tat com.acme.Login$$anonfun$check$1.apply(Login.scala:3)\n\tat "
     "scala.Option.map(Option.scala:1)",
     "\tat com.acme.Login$$anonfun$check$2.apply(Login.scala:3)\n\tat "
     "scala.Option.map(Option.scala:1)"},
    {"Scala 2.13 lambdas",
     "\tat com.acme.Login$.$anonfun$check$1(Login.scala:3)\n\tat "
     "com.acme.Login$.$anonfun$check$1$adapted(Login.scala:2)\n\tat "
     "scala.Option.map(Option.scala:1)",
     "\tat com.acme.Login$.$anonfun$check$4(Login.scala:3)\n\tat "
     "com.acme.Login$.$anonfun$check$4$adapted(Login.scala:2)\n\tat "
     "scala.Option.map(Option.scala:1)"},
    {"Android file and unknown source",
     "\tat com.acme.C.post(C.java:3)\n\tat android.os.Handler.handleCallback(Handler.java:938)",
     "\tat com.acme.C.post(Unknown Source:12)\n\tat "
     "android.os.Handler.handleCallback(Handler.java:942)"},
    {"lambda in an anonymous class", "\tat com.acme.C$1$2.lambda$run$0(C.java:3)",
     "\tat com.acme.C$3$1.lambda$run$5(C.java:3)"},
    {"collector prefix",
     "2024-05-06T07:08:09.123456789Z stderr F java.lang.Error: e\n2024-05-06T07:08:09.123456789Z "
     "stderr F \tat com.acme.C.post(C.java:3)\n2024-05-06T07:08:09.123456789Z stderr F Caused by: "
     "java.io.IOException: x\n2024-05-06T07:08:09.123456789Z stderr F \tat "
     "com.acme.D.read(D.java:3)",
     "java.lang.Error: e\n\tat com.acme.C.post(C.java:3)\nCaused by: java.io.IOException: x\n\tat "
     "com.acme.D.read(D.java:3)"},
    {"bracketed times",
     "[2024-05-06 07:08:09,123] ERROR \tat com.acme.C.post(C.java:3)\n[2024-05-06 07:08:09,123] "
     "ERROR \tat com.acme.D.post(C.java:3)",
     "\tat com.acme.C.post(C.java:3)\n\tat com.acme.D.post(C.java:3)"},
    {"spring boot nested jars",
     "\tat com.acme.C.post(C.java:3) ~[!/:1.0.0]\n\tat org.x.Y.z(Y.java:1) "
     "~[spring-web-6.1.3.jar!/:6.1.3]",
     "\tat com.acme.C.post(C.java:3) ~[!/:2.0.0]\n\tat org.x.Y.z(Y.java:2) "
     "~[spring-web-6.2.0.jar!/:6.2.0]"},
    {"wildfly modules",
     "\tat deployment.shop.war//com.acme.C.post(C.java:3)\n\tat "
     "org.jboss.as.ee@26.1.0.Final//org.jboss.as.ee.X.y(X.java:3)",
     "\tat deployment.shop-1.2.war//com.acme.C.post(C.java:4)\n\tat "
     "org.jboss.as.ee@27.0.0.Final//org.jboss.as.ee.X.y(X.java:9)"},
    {"jetty and tomcat loaders",
     "\tat app//com.acme.C.post(C.java:3)\n\tat "
     "platform/java.sql@17/java.sql.DriverManager.getConnection(DriverManager.java:1)",
     "\tat com.acme.C.post(C.java:3)\n\tat "
     "java.sql/java.sql.DriverManager.getConnection(DriverManager.java:2)"},
    {"Quarkus generated",
     "\tat com.acme.Svc_Subclass.login(Unknown Source)\n\tat "
     "com.acme.Svc_ClientProxy.login(Unknown Source)\n\tat "
     "com.acme.Res$quarkusrestinvoker$login_0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c.invoke("
     "Unknown Source)\n\tat x.Y.z(Y.java:1)",
     "\tat com.acme.Svc_Subclass.login(Unknown Source)\n\tat "
     "com.acme.Svc_ClientProxy.login(Unknown Source)\n\tat "
     "com.acme.Res$quarkusrestinvoker$login_aaaa2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c.invoke("
     "Unknown Source)\n\tat x.Y.z(Y.java:1)"},
    {"Weld proxy",
     "\tat com.acme.Svc$Proxy$_$$_WeldClientProxy.login(Unknown Source)\n\tat x.Y.z(Y.java:1)",
     "\tat com.acme.Svc$Proxy$_$$_WeldSubclass.login(Unknown Source)\n\tat x.Y.z(Y.java:1)"},
    {"method handle's holder",
     "\tat com.acme.C.post(C.java:3)\n\tat "
     "java.base/"
     "java.lang.invoke.DirectMethodHandle$Holder.invokeSpecial(DirectMethodHandle$Holder)\n\tat "
     "java.base/"
     "jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)"
     "\n\tat x.Y.z(Y.java:1)",
     "\tat com.acme.C.post(C.java:3)\n\tat "
     "java.base/"
     "jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:104)"
     "\n\tat x.Y.z(Y.java:1)"},
    {"trimmed lines",
     "java.lang.Error: e\nat com.acme.C.post(C.java:3)\nCaused by: java.io.IOException: x\nat "
     "com.acme.D.read(D.java:3)\n... 3 more",
     "java.lang.Error: e\n\tat com.acme.C.post(C.java:3)\nCaused by: java.io.IOException: x\n\tat "
     "com.acme.D.read(D.java:3)\n\t... 3 more"},
    {"Clojure",
     "\tat shop.auth$login$fn__1234.invoke(auth.clj:3)\n\tat "
     "shop.auth$login.invokeStatic(auth.clj:2)\n\tat clojure.lang.AFn.run(AFn.java:22)",
     "\tat shop.auth$login$fn__9876.invoke(auth.clj:5)\n\tat "
     "shop.auth$login.invokeStatic(auth.clj:4)\n\tat clojure.lang.AFn.run(AFn.java:22)"},
    {"R8's lambda",
     "\tat com.acme.C$$ExternalSyntheticLambda0.run(Unknown Source:2)\n\tat com.acme.D.x(D.java:1)",
     "\tat com.acme.C$$ExternalSyntheticLambda4.run(D8$$SyntheticClass:0)\n\tat "
     "com.acme.D.x(D.java:1)"},
    {"Scala local methods",
     "\tat com.acme.Login$.check$1(Login.scala:3)\n\tat com.acme.Login$.run(Login.scala:2)",
     "\tat com.acme.Login$.check$2(Login.scala:3)\n\tat com.acme.Login$.run(Login.scala:2)"},
    {"Groovy call sites",
     "\tat com.acme.Login$check.call(Unknown Source)\n\tat com.acme.Login.run(Login.groovy:3)",
     "\tat com.acme.Login$check$0.call(Unknown Source)\n\tat com.acme.Login.run(Login.groovy:4)"},
    {"message with a frame's word",
     "java.lang.Error: look at com.acme.Foo for more\n\tat com.acme.C.post(C.java:3)",
     "java.lang.Error: other\n\tat com.acme.C.post(C.java:3)"},
    {"nested message",
     "org.x.E: nested exception is java.io.IOException: 17\n\tat com.acme.C.post(C.java:3)",
     "org.x.E: nested exception is java.io.IOException: 18\n\tat com.acme.C.post(C.java:4)"},
    {"EJB's view", "\tat com.acme.LoginBean$$$view12.check(Unknown Source)\n\tat x.Y.z(Y.java:1)",
     "\tat com.acme.LoginBean$$$view7.check(Unknown Source)\n\tat x.Y.z(Y.java:1)"},
    {"Mockito inline",
     "\tat com.acme.User$MockitoMock$1234.codegen(Unknown Source)\n\tat "
     "com.acme.User$MockitoMock$AbCdEf12$auxiliary$Qx1.call(Unknown Source)",
     "\tat com.acme.User$MockitoMock$99.codegen(Unknown Source)\n\tat "
     "com.acme.User$MockitoMock$ZZZdEf12$auxiliary$Pw2.call(Unknown Source)"},
    {"filter chain of Spring Security",
     "org.springframework.security.authentication.BadCredentialsException: Bad credentials\n\tat "
     "org.springframework.security.authentication.dao.DaoAuthenticationProvider."
     "additionalAuthenticationChecks(DaoAuthenticationProvider.java:79)\n\tat "
     "org.springframework.security.web.FilterChainProxy$VirtualFilterChain.doFilter("
     "FilterChainProxy.java:374)\n\tat "
     "org.springframework.security.web.FilterChainProxy.lambda$doFilterInternal$3(FilterChainProxy."
     "java:231)\n\tat "
     "org.springframework.security.web.ObservationFilterChainDecorator$FilterObservation$"
     "SimpleFilterObservation.lambda$wrap$1(ObservationFilterChainDecorator.java:479)",
     "org.springframework.security.authentication.BadCredentialsException: Falsche Daten\n\tat "
     "org.springframework.security.authentication.dao.DaoAuthenticationProvider."
     "additionalAuthenticationChecks(DaoAuthenticationProvider.java:81) "
     "~[spring-security-core-6.2.1.jar:6.2.1]\n\tat "
     "org.springframework.security.web.FilterChainProxy$VirtualFilterChain.doFilter("
     "FilterChainProxy.java:375) ~[spring-security-web-6.2.1.jar:6.2.1]\n\tat "
     "org.springframework.security.web.FilterChainProxy.lambda$doFilterInternal$2(FilterChainProxy."
     "java:233) ~[spring-security-web-6.2.1.jar:6.2.1]\n\tat "
     "org.springframework.security.web.ObservationFilterChainDecorator$FilterObservation$"
     "SimpleFilterObservation.lambda$wrap$0(ObservationFilterChainDecorator.java:323) "
     "~[spring-security-web-6.2.1.jar:6.2.1]"},
    {"log time with thread in brackets",
     "2024-05-06 07:08:09,123 [http-nio-8080-exec-3] ERROR c.a.Login - failed\njava.lang.Error: "
     "x\n\tat a.B.c(B.java:1)",
     "07:08:09.123 [main] ERROR c.a.Login - failed\njava.lang.Error: x\n\tat a.B.c(B.java:1)"},
    {"JBoss log with category",
     "12:00:01,234 ERROR [org.jboss.as.ejb3] (default task-17) failed: javax.ejb.EJBException: "
     "x\n\tat a.B.c(B.java:1)",
     "13:00:01,234 ERROR [org.jboss.as.ejb3] (default task-2) failed: javax.ejb.EJBException: "
     "y\n\tat a.B.c(B.java:2)"},
    {"docker compose prefix",
     "shop-1  | java.lang.Error: x\nshop-1  | \tat a.B.c(B.java:1)\nshop-1  | \tat a.D.e(B.java:1)",
     "java.lang.Error: x\n\tat a.B.c(B.java:1)\n\tat a.D.e(B.java:1)"},
    {"times without a date",
     "07:08:09.123 ERROR java.lang.Error: x\n07:08:09.123 ERROR \tat a.B.c(B.java:1)",
     "java.lang.Error: x\n\tat a.B.c(B.java:1)"},
    {"syslog prefix",
     "May  6 07:08:09 web1 shop[123]: java.lang.Error: x\nMay  6 07:08:09 web1 shop[123]: \tat "
     "a.B.c(B.java:1)",
     "java.lang.Error: x\n\tat a.B.c(B.java:1)"},
    {"jar with commit", "\tat com.acme.C.post(C.java:3) [shop-1.2.3-SNAPSHOT-0f1e2d3.jar:1.2.3]",
     "\tat com.acme.C.post(C.java:3) [shop-1.2.4-aaaa2d3.jar:1.2.4]"},
    {"spring aop frames with numbers",
     "\tat "
     "org.springframework.aop.framework.CglibAopProxy$DynamicAdvisedInterceptor.intercept("
     "CglibAopProxy.java:720)\n\tat com.acme.LoginService$$SpringCGLIB$$0.login(<generated>)",
     "\tat "
     "org.springframework.aop.framework.CglibAopProxy$DynamicAdvisedInterceptor.intercept("
     "CglibAopProxy.java:728)\n\tat "
     "com.acme.LoginService$$EnhancerBySpringCGLIB$$1a2b3c4d.login(<generated>)"},
    {"escaped newlines",
     "java.lang.Error: e\\n\\tat com.acme.C.post(C.java:3)\\n\\tat "
     "com.acme.D.read(D.java:4)\\nCaused by: java.io.IOException: x\\n\\tat "
     "com.acme.E.open(E.java:7)\\n\\t... 3 more\\n",
     "java.lang.Error: e\n\tat com.acme.C.post(C.java:4)\n\tat com.acme.D.read(D.java:5)\nCaused "
     "by: java.io.IOException: x\n\tat com.acme.E.open(E.java:8)\n\t... 3 more"},
    {"escaped carriage returns",
     "java.lang.Error: e\\r\\n\\tat com.acme.C.post(C.java:3)\\r\\n\\tat "
     "com.acme.D.read(D.java:4)\\r\\n",
     "java.lang.Error: e\n\tat com.acme.C.post(C.java:4)\n\tat com.acme.D.read(D.java:5)"},
    {"escaped as Go does",
     "java.lang.Error: e\\n\\tat com.acme.C.\\u003cinit\\u003e(C.java:3)\\n\\tat "
     "com.acme.D.read(D.java:4)",
     "java.lang.Error: e\n\tat com.acme.C.<init>(C.java:3)\n\tat com.acme.D.read(D.java:4)"},
    {"escaped for HTML",
     "java.lang.Error: e\n\tat com.acme.C.&lt;init&gt;(C.java:3)\n\tat "
     "com.acme.C$$SpringCGLIB$$0.post(&lt;generated&gt;)",
     "java.lang.Error: e\n\tat com.acme.C.<init>(C.java:3)\n\tat "
     "com.acme.C$$SpringCGLIB$$0.post(<generated>)"},
    {"one line",
     "java.lang.Error: e at com.acme.C.post(C.java:3) at com.acme.D.read(D.java:4) at "
     "java.base/java.lang.Thread.run(Thread.java:833)",
     "java.lang.Error: e\n\tat com.acme.C.post(C.java:9)\n\tat com.acme.D.read(D.java:5)\n\tat "
     "java.base/java.lang.Thread.run(Thread.java:840)"},
    {"one line with tabs",
     "java.lang.Error: e\tat com.acme.C.post(C.java:3)\tat com.acme.D.read(D.java:4)\tat "
     "java.base/java.lang.Thread.run(Thread.java:833)",
     "java.lang.Error: e\n\tat com.acme.C.post(C.java:9)\n\tat com.acme.D.read(D.java:5)\n\tat "
     "java.base/java.lang.Thread.run(Thread.java:840)"},
    {"Spring Boot's logger before each line",
     "2024-05-06T07:08:09.123Z ERROR 1 --- [nio-8080-exec-7] c.a.LoginController                   "
     "   : java.lang.Error: e\n2024-05-06T07:08:09.123Z ERROR 1 --- [nio-8080-exec-7] "
     "c.a.LoginController                      : \tat "
     "com.acme.C.post(C.java:3)\n2024-05-06T07:08:09.123Z ERROR 1 --- [nio-8080-exec-7] "
     "c.a.LoginController                      : \tat com.acme.D.read(D.java:3)",
     "java.lang.Error: e\n\tat com.acme.C.post(C.java:3)\n\tat com.acme.D.read(D.java:3)"},
    {"logcat before each line",
     "05-06 07:08:09.123  1234  1260 E AndroidRuntime: FATAL EXCEPTION: main\n05-06 07:08:09.123  "
     "1234  1260 E AndroidRuntime: Process: com.acme, PID: 1234\n05-06 07:08:09.123  1234  1260 E "
     "AndroidRuntime: java.lang.Error: e\n05-06 07:08:09.123  1234  1260 E AndroidRuntime: \tat "
     "com.acme.C.post(C.java:3)\n05-06 07:08:09.123  1234  1260 E AndroidRuntime: \tat "
     "android.os.Handler.dispatchMessage(Handler.java:106)",
     "java.lang.Error: e\n\tat com.acme.C.post(C.java:3)\n\tat "
     "android.os.Handler.dispatchMessage(Handler.java:102)"},
    {"logcat before causes",
     "05-06 07:08:09.123  1234  1260 E AndroidRuntime: java.lang.Error: e\n05-06 07:08:09.123  "
     "1234  1260 E AndroidRuntime: \tat com.acme.C.post(C.java:3)\n05-06 07:08:09.124  1234  1260 "
     "E AndroidRuntime: Caused by: java.io.IOException: x\n05-06 07:08:09.124  1234  1260 E "
     "AndroidRuntime: \tat com.acme.D.read(D.java:3)\n05-06 07:08:09.124  1234  1260 E "
     "AndroidRuntime: \t... 3 more",
     "java.lang.Error: e\n\tat com.acme.C.post(C.java:3)\nCaused by: java.io.IOException: x\n\tat "
     "com.acme.D.read(D.java:3)\n\t... 3 more"},
    {"kubectl before each line",
     "[pod/shop-7d9f8b6c5d-abcde/shop] java.lang.Error: e\n[pod/shop-7d9f8b6c5d-abcde/shop] \tat "
     "com.acme.C.post(C.java:3)\n[pod/shop-7d9f8b6c5d-abcde/shop] \tat com.acme.D.read(D.java:3)",
     "java.lang.Error: e\n\tat com.acme.C.post(C.java:3)\n\tat com.acme.D.read(D.java:3)"},
    {"syslog without a process",
     "Jan  2 03:04:05 host shop: java.lang.Error: e\nJan  2 03:04:05 host shop: \tat "
     "com.acme.C.post(C.java:3)",
     "java.lang.Error: e\n\tat com.acme.C.post(C.java:3)"},
    {"Hibernate and PostgreSQL",
     "org.springframework.dao.DataIntegrityViolationException: could not execute statement; SQL "
     "[n/a]; constraint [users_email_key]\n\tat "
     "org.springframework.orm.jpa.vendor.HibernateJpaDialect.convertHibernateAccessException("
     "HibernateJpaDialect.java:269)\n\tat com.acme.auth.SignUp.save(SignUp.java:14)\nCaused by: "
     "org.hibernate.exception.ConstraintViolationException: could not execute statement\n\tat "
     "org.hibernate.exception.internal.SQLStateConversionDelegate.convert("
     "SQLStateConversionDelegate.java:109)\n\t... 50 more\nCaused by: "
     "org.postgresql.util.PSQLException: ERROR: duplicate key value violates unique constraint "
     "\"users_email_key\"\n  Detail: Key (email)=(a@b.example) already exists.\n\tat "
     "org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:2676)"
     "\n\t... 60 more",
     "org.springframework.dao.DataIntegrityViolationException: could not execute statement [ERROR: "
     "duplicate key value violates unique constraint \"users_email_key\"\n  Detail: Key "
     "(email)=([redacted:email]) already exists.] [insert into users (email,name,id) values "
     "(?,?,?)]; SQL [insert into users (email,name,id) values (?,?,?)]; constraint "
     "[users_email_key]\n\tat "
     "org.springframework.orm.jpa.vendor.HibernateJpaDialect.convertHibernateAccessException("
     "HibernateJpaDialect.java:290)\n\tat com.acme.auth.SignUp.save(SignUp.java:15)\nCaused by: "
     "org.hibernate.exception.ConstraintViolationException: could not execute statement [ERROR: "
     "duplicate key value violates unique constraint \"users_email_key\"\n  Detail: Key "
     "(email)=([redacted:email]) already exists.] [insert into users (email,name,id) values "
     "(?,?,?)]\n\tat "
     "org.hibernate.exception.internal.SQLStateConversionDelegate.convert("
     "SQLStateConversionDelegate.java:97)\n\t... 50 more\nCaused by: "
     "org.postgresql.util.PSQLException: ERROR: duplicate key value violates unique constraint "
     "\"users_email_key\"\n  Detail: Key (email)=([redacted:email]) already exists.\n\tat "
     "org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:2713)"
     "\n\t... 61 more"},
    {"suppressed inside a cause",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.F\n\tat a.B.d(B.java:2)\n\tSuppressed: a.S: "
     "closing\n\t\tat a.S.close(S.java:1)\n\t\t... 2 more\n\t... 10 more\nCaused by: a.G\n\tat "
     "a.B.e(B.java:3)",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: a.F\n\tat a.B.d(B.java:2)\n\t... 10 more\nCaused by: "
     "a.G\n\tat a.B.e(B.java:3)"},
    {"trace in a message",
     "java.lang.IllegalStateException: Feign call failed: 500 : "
     "[{\"status\":500,\"trace\":\"java.lang.Error: e\\n\\tat x.Y.z(Y.java:3)\"}]\n\tat "
     "feign.FeignException.serverErrorStatus(FeignException.java:250)\n\tat "
     "com.acme.C.post(C.java:3)",
     "java.lang.IllegalStateException: Feign call failed: 500 : "
     "[{\"status\":500,\"trace\":\"java.lang.Error: f\\n\\tat x.Y.other(Y.java:9)\"}]\n\tat "
     "feign.FeignException.serverErrorStatus(FeignException.java:250)\n\tat "
     "com.acme.C.post(C.java:3)"},
    {"Korean class of a cause",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: com.acme.인증예외: x\n\tat a.B.d(B.java:2)",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: com.acme.인증예외: y\n\tat a.B.d(B.java:3)"},
    {"escapes in a message",
     "java.lang.Error: bad json {\"a\":\"x\\n  at y\"}\n\tat com.acme.C.post(C.java:3)",
     "java.lang.Error: bad json {\"b\":\"z\"}\n\tat com.acme.C.post(C.java:4)"},
    {"bars in a message",
     "java.lang.AssertionError: rows\n| id | name |\n| 17 | a |\n\tat com.acme.C.post(C.java:3)",
     "java.lang.AssertionError: rows\n| id | name |\n\tat com.acme.C.post(C.java:4)"},
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
    {"recursion or none",
     "\tat a.T.walk(T.java:3)\n\tat a.T.step(T.java:3)\n\tat a.T.walk(T.java:3)",
     "\tat a.T.walk(T.java:3)\n\tat a.T.step(T.java:3)"},
    {"digits of names", "\tat com.acme.crypto.Sha256.digest(Sha.java:3)",
     "\tat com.acme.crypto.Sha512.digest(Sha.java:3)"},
    {"OAuth1 and OAuth2", "\tat com.acme.OAuth1Client.token(X.java:3)",
     "\tat com.acme.OAuth2Client.token(X.java:3)"},
    {"versions of a package", "\tat com.acme.api.v1.Login.check(Login.java:3)",
     "\tat com.acme.api.v2.Login.check(Login.java:3)"},
    {"proxied methods",
     "\tat com.sun.proxy.$Proxy123.login(Unknown Source)\n\tat com.acme.C.post(C.java:3)",
     "\tat com.sun.proxy.$Proxy123.logout(Unknown Source)\n\tat com.acme.C.put(C.java:3)"},
    {"constructor and initialiser", "\tat com.acme.Login.<init>(Login.java:3)",
     "\tat com.acme.Login.<clinit>(Login.java:3)"},
    {"proxied class",
     "\tat com.acme.A$$SpringCGLIB$$0.run(<generated>)\n\tat com.acme.C.post(C.java:3)",
     "\tat com.acme.B$$SpringCGLIB$$0.run(<generated>)\n\tat com.acme.C.post(C.java:3)"},
    {"http and http2", "\tat okhttp3.internal.http1.Http1Codec.read(X.java:3)",
     "\tat okhttp3.internal.http2.Http2Codec.read(X.java:3)"},
    {"numbered class", "\tat com.acme.Http2.open(X.java:3)", "\tat com.acme.Http3.open(X.java:3)"},
    {"capitals", "\tat com.acme.login.Check.run(X.java:3)",
     "\tat com.acme.Login.check.run(X.java:3)"},
    {"invoke of classes", "\tat com.acme.Foo$Handler.invoke(X.java:3)",
     "\tat com.acme.Foo$Filter.invoke(X.java:3)"},
    {"hex-like class names", "\tat com.acme.Login$Facade.check(X.java:3)",
     "\tat com.acme.Login$Decade.check(X.java:3)"},
    {"packages numbered", "\tat com.acme.web2.Login.check(X.java:3)",
     "\tat com.acme.web3.Login.check(X.java:3)"},
    {"accessors of generated classes", "\tat com.acme.A$$SpringCGLIB$$0.get(<generated>)",
     "\tat com.acme.A$$SpringCGLIB$$0.set(<generated>)"},
    {"nested classes one level apart", "\tat com.acme.A$B$C.run(A.java:3)",
     "\tat com.acme.A$B$D.run(A.java:3)"},
    {"Base32 and Base64", "\tat com.acme.Base32.run(A.java:3)",
     "\tat com.acme.Base64.run(A.java:3)"},
    {"Md5 sha1 methods", "\tat com.acme.Digest.sha1(A.java:3)",
     "\tat com.acme.Digest.md5(A.java:3)"},
    {"proxy words that are names", "\tat com.acme.ReverseProxy.run(A.java:3)",
     "\tat com.acme.ForwardProxy.run(A.java:3)"},
    {"one line, methods",
     "java.lang.Error: e at com.acme.C.post(C.java:3) at com.acme.D.read(D.java:4)",
     "java.lang.Error: e at com.acme.C.post(C.java:3) at com.acme.D.write(D.java:4)"},
    {"Korean classes of a cause",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: com.acme.인증예외: x\n\tat a.B.d(B.java:2)",
     "a.E\n\tat a.B.c(B.java:1)\nCaused by: com.acme.권한예외: x\n\tat a.B.d(B.java:2)"},
    {"Korean methods", "\tat com.acme.인증.로그인.확인(로그인.java:3)",
     "\tat com.acme.인증.로그인.검사(로그인.java:3)"},
    {"escaped newlines, methods",
     "java.lang.Error: e\\n\\tat com.acme.C.post(C.java:3)\\n\\tat com.acme.D.read(D.java:4)",
     "java.lang.Error: e\\n\\tat com.acme.C.post(C.java:3)\\n\\tat com.acme.D.write(D.java:4)"},
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
    {"suspend lambda number",
     "\tat com.acme.Login$check$1.invokeSuspend(Login.kt:3)\n\tat "
     "kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:33)",
     "\tat com.acme.Login$check$3.invokeSuspend(Login.kt:9)\n\tat "
     "kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:46)"},
    {"nested suspend lambdas", "\tat com.acme.Login$check$2$user$1.invokeSuspend(Login.kt:3)",
     "\tat com.acme.Login$check$5$user$2.invokeSuspend(Login.kt:3)"},
    {"coroutine boundary of old",
     "\tat com.acme.Login.check(Login.kt:3)\n\t(Coroutine boundary)\n\tat "
     "com.acme.Login.handle(Login.kt:9)",
     "\tat com.acme.Login.check(Login.kt:4)\n\tat "
     "_COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)\n\tat com.acme.Login.handle(Login.kt:10)"},
    {"lambda class of Kotlin 1 and indy of Kotlin 2",
     "\tat com.acme.Login$check$1.invoke(Login.kt:3)\n\tat com.acme.Login.handle(Login.kt:9)",
     "\tat com.acme.Login.check$lambda$0(Login.kt:3)\n\tat com.acme.Login.handle(Login.kt:9)"},
    {"indy nested lambdas", "\tat com.acme.Login.check$lambda$1$lambda$0(Login.kt:3)",
     "\tat com.acme.Login.check$lambda$4$lambda$2(Login.kt:8)"},
    {"internal names", "\tat com.acme.Login.check$shop_auth_main(Login.kt:3)",
     "\tat com.acme.Login.check$shop_auth_debug(Login.kt:8)"},
    {"inline class mangling", "\tat com.acme.Login.check-8Xd7z2k(Login.kt:3)",
     "\tat com.acme.Login.check-Zk19aQw(Login.kt:8)"},
    {"coroutine thread names",
     "Exception in thread \"DefaultDispatcher-worker-3 @coroutine#17\" java.lang.Error: e\n\tat "
     "com.acme.Login.check(Login.kt:3)",
     "Exception in thread \"DefaultDispatcher-worker-1 @coroutine#2\" java.lang.Error: e\n\tat "
     "com.acme.Login.check(Login.kt:3)"},
    {"Ktor pipeline loops",
     "\tat com.acme.RoutesKt$module$1$1.invokeSuspend(Routes.kt:3)\n\tat "
     "com.acme.RoutesKt$module$1$1.invoke(Routes.kt)\n\tat "
     "com.acme.RoutesKt$module$1$1.invoke(Routes.kt)\n\tat "
     "io.ktor.util.pipeline.SuspendFunctionGun.loop(SuspendFunctionGun.kt:120)",
     "\tat com.acme.RoutesKt$module$1$2.invokeSuspend(Routes.kt:3)\n\tat "
     "com.acme.RoutesKt$module$1$2.invoke(Routes.kt:2)\n\tat "
     "com.acme.RoutesKt$module$1$2.invoke(Routes.kt:2)\n\tat "
     "io.ktor.util.pipeline.SuspendFunctionGun.loop(SuspendFunctionGun.kt:98)"},
    {"suppressed diagnostic of a coroutine",
     "java.lang.Error: e\n\tat com.acme.Login.check(Login.kt:3)\n\tSuppressed: "
     "kotlinx.coroutines.internal.DiagnosticCoroutineContextException: "
     "[StandaloneCoroutine{Cancelling}@5a07e868, Dispatchers.Default]",
     "java.lang.Error: e\n\tat com.acme.Login.check(Login.kt:3)\n\tSuppressed: "
     "kotlinx.coroutines.internal.DiagnosticCoroutineContextException: "
     "[StandaloneCoroutine{Cancelling}@1b2c3d4e, Dispatchers.IO]"},
    {"stack trace recovery",
     "com.acme.AuthException: e\n\tat com.acme.Login.check(Login.kt:3)\n\tat "
     "_COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)\n\tat "
     "com.acme.Login$x$1.invokeSuspend(Login.kt:20)\n\tat com.acme.MainKt.main(Main.kt:3)\nCaused "
     "by: com.acme.AuthException: e\n\tat com.acme.Login.check(Login.kt:3)\n\tat "
     "com.acme.Login$x$1.invokeSuspend(Login.kt:20)",
     "com.acme.AuthException: e\n\tat com.acme.Login.check(Login.kt:5)\n\tat "
     "_COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)\n\tat "
     "com.acme.Login$x$4.invokeSuspend(Login.kt:21)\n\tat com.acme.MainKt.main(Main.kt:4)\nCaused "
     "by: com.acme.AuthException: e\n\tat com.acme.Login.check(Login.kt:5)\n\tat "
     "com.acme.Login$x$4.invokeSuspend(Login.kt:21)"},
    {"inlined function number", "\tat com.acme.Login$handle$$inlined$map$1.invoke(Login.kt:3)",
     "\tat com.acme.Login$handle$$inlined$map$2.invoke(Login.kt:3)"},
    {"flow collectors",
     "\tat com.acme.Login$flow$1$2.emit(Login.kt:3)\n\tat "
     "kotlinx.coroutines.flow.FlowKt.collect(F.kt:3)",
     "\tat com.acme.Login$flow$2$1.emit(Login.kt:3)\n\tat "
     "kotlinx.coroutines.flow.FlowKt.collect(F.kt:3)"},
    {"lambda bridges",
     "\tat com.acme.Login$check$1.invoke(Login.kt:3)\n\tat "
     "com.acme.Login$check$1.invoke(Login.kt:2)\n\tat com.acme.X.run(X.kt:1)",
     "\tat com.acme.Login$check$2.invoke(Login.kt:9)\n\tat com.acme.X.run(X.kt:1)"},
    {"android builds", "\tat com.acme.Login.check$app_debug(Login.kt:3)",
     "\tat com.acme.Login.check$app_release(Login.kt:3)"},
    {"r8 lambdas",
     "\tat com.acme.Login.$r8$lambda$AbC1dEf2GhI3-_jKl4(Unknown Source:0)\n\tat "
     "com.acme.X.run(X.kt:1)",
     "\tat com.acme.Login.$r8$lambda$ZzZ1dEf2GhI3-_jKl4(Unknown Source:0)\n\tat "
     "com.acme.X.run(X.kt:1)"},
    {"continuations of functions",
     "\tat com.acme.Login.check(Login.kt:3)\n\tat "
     "com.acme.Login$check$1.invokeSuspend(Login.kt)\n\tat com.acme.X.run(X.kt:1)",
     "\tat com.acme.Login.check(Login.kt:7)\n\tat com.acme.Login.check(Login.kt:2)\n\tat "
     "com.acme.X.run(X.kt:1)"},
    {"Spring WebFlux coroutine frames",
     "\tat com.acme.Login.check$suspendImpl(Login.kt:3)\n\tat "
     "com.acme.Login.check(Login.kt:1)\n\tat com.acme.X.run(X.kt:1)",
     "\tat com.acme.Login.check(Login.kt:1)\n\tat com.acme.X.run(X.kt:1)"},
    {"multiplatform",
     "\tat com.acme.Login$check$2.invokeSuspend(Login.kt:3)\n\tat "
     "kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:33)\n\tat "
     "kotlinx.coroutines.DispatchedTask.run(DispatchedTask.kt:106)\n\tat "
     "kotlinx.coroutines.scheduling.CoroutineScheduler.runSafely(CoroutineScheduler.kt:570)",
     "\tat com.acme.Login$check$4.invokeSuspend(Login.kt:5)\n\tat "
     "kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:46)\n\tat "
     "kotlinx.coroutines.DispatchedTask.run(DispatchedTask.kt:104)\n\tat "
     "kotlinx.coroutines.scheduling.CoroutineScheduler.runSafely(CoroutineScheduler.kt:584)"},
    {"Kotlin/Native",
     "kotlin.IllegalStateException: e\n    at 0   shop.kexe                           0x104c2c1d3  "
     "      kfun:kotlin.Throwable#<init>(kotlin.String?){} + 87 \n    at 1   shop.kexe             "
     "              0x104c26e2b        kfun:com.acme.Login#check(kotlin.String){}kotlin.Boolean + "
     "91 \n    at 2   shop.kexe                           0x104c1f0e3        kfun:#main(){} + 63 ",
     "kotlin.IllegalStateException: e\n    at 0   shop.kexe                           0x10aaac1d3  "
     "      kfun:kotlin.Throwable#<init>(kotlin.String?){} + 95 \n    at 1   shop.kexe             "
     "              0x10aaa6e2b        kfun:com.acme.Login#check(kotlin.String){}kotlin.Boolean + "
     "99 \n    at 2   shop.kexe                           0x10aa9f0e3        kfun:#main(){} + 67 "},
    {"Compose",
     "\tat "
     "com.acme.ui.ComposableSingletons$LoginScreenKt$lambda-1$1.invoke(LoginScreen.kt:3)\n\tat "
     "androidx.compose.runtime.internal.ComposableLambdaImpl.invoke(ComposableLambda.jvm.kt:107)",
     "\tat "
     "com.acme.ui.ComposableSingletons$LoginScreenKt$lambda-4$1.invoke(LoginScreen.kt:9)\n\tat "
     "androidx.compose.runtime.internal.ComposableLambdaImpl.invoke(ComposableLambda.jvm.kt:109)"},
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
    {"companion and class", "\tat com.acme.Login$Companion.check(Login.kt:3)",
     "\tat com.acme.Logout$Companion.check(Login.kt:3)"},
    {"indy lambdas of different functions", "\tat com.acme.Login.check$lambda$0(Login.kt:3)",
     "\tat com.acme.Login.verify$lambda$0(Login.kt:3)"},
    {"nested variable names", "\tat com.acme.Login$check$2$user$1.invokeSuspend(Login.kt:3)",
     "\tat com.acme.Login$check$2$token$1.invokeSuspend(Login.kt:3)"},
    {"digits of names", "\tat com.acme.Totp6.check(Totp.kt:3)",
     "\tat com.acme.Totp8.check(Totp.kt:3)"},
    {"back-quoted names", "\tat com.acme.LoginTest.login fails without password(LoginTest.kt:3)",
     "\tat com.acme.LoginTest.login fails without user(LoginTest.kt:3)"},
    {"local functions", "\tat com.acme.Login.check$verify(Login.kt:3)",
     "\tat com.acme.Login.check$refresh(Login.kt:3)"},
    {"operators", "\tat com.acme.Login$Rule.invoke(Login.kt:3)",
     "\tat com.acme.Login$Guard.invoke(Login.kt:3)"},
    {"names with dashes", "\tat com.acme.T.login fails with code 401(T.kt:3)",
     "\tat com.acme.T.login fails with code 403(T.kt:3)"},
    {"functions of Kotlin/Native",
     "    at 1   shop.kexe                           0x104c26e2b        "
     "kfun:com.acme.Login#check(kotlin.String){}kotlin.Boolean + 91 ",
     "    at 1   shop.kexe                           0x104c26e2b        "
     "kfun:com.acme.Login#reset(kotlin.String){}kotlin.Boolean + 91 "},
});

}  // namespace

LanguageCases javaCases() {
  return {.language = "Java", .meeting = kJavaMeeting, .parting = kJavaParting};
}

LanguageCases kotlinCases() {
  return {.language = "Kotlin", .meeting = kKotlinMeeting, .parting = kKotlinParting};
}

}  // namespace auth_errors::domain
