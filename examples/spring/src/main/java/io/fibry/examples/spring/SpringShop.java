package io.fibry.examples.spring;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.spring.NamedActor;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableAsync;

/**
 * Spring Boot on Fibry.
 *
 * <p>The starter makes the scope, and closes it with the context: after the web server has answered its requests, and when the actors
 * have handled what was queued. The properties let the strategies run Spring's requests and {@code @Async} methods.
 */
@SpringBootApplication(proxyBeanMethods = false)
@EnableAsync
public class SpringShop {
    private static final int APPLES = 1_000;

    /** Called by Spring. */
    SpringShop() {
    }

    /** Only one sale takes place at a time. The actor answers how many items are left, or -1. */
    @Bean
    @NamedActor("stock")
    Actor<Integer, Integer> stock(ActorScope scope, Counter.Bills bills) {
        return scope.named("stock").state(() -> new AtomicInteger(APPLES))
                .newActorWithReturn((AtomicInteger left, Integer count) -> {
                    bills.threads().put("actor", Thread.currentThread().toString());
                    return left.get() < count ? -1 : left.addAndGet(-count);
                });
    }

    static ConfigurableApplicationContext start(int port) {
        var application = new SpringApplication(SpringShop.class);
        application.setRegisterShutdownHook(false); // CtrlC closes the application
        application.setDefaultProperties(Map.of("server.port", port, "server.address", "127.0.0.1",
                "spring.main.banner-mode", "off", "spring.application.name", "shop",
                "fibry.requests.strategy", "fibers", // a virtual thread for each request
                "fibry.async.strategy", "pool", "fibry.async.pool-threads", 2,
                "management.endpoints.web.exposure.include", "health,fibry"));
        return application.run();
    }

    static int portOf(ConfigurableApplicationContext context) {
        var server = ((WebServerApplicationContext) context).getWebServer();
        return server == null ? 0 : server.getPort();
    }

    /**
     * Serves until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var options = Options.read(args, Option.port(8080));
        try {
            var context = start(options.port());
            System.out.printf("""
                    http://127.0.0.1:%1$d/   Spring MVC, a virtual thread for each request

                    Try in another terminal:
                      curl http://127.0.0.1:%1$d/                          what is left, kept by an actor
                      curl -X POST "http://127.0.0.1:%1$d/buy?count=3"     buys, and mails a bill by @Async
                      curl http://127.0.0.1:%1$d/threads                   where all that has run
                      curl http://127.0.0.1:%1$d/actuator/fibry            what the actors do
                      ab -k -n 20000 -c 100 http://127.0.0.1:%1$d/         expect "Failed requests: 0"
                    """, portOf(context));
            CtrlC.closes(context);
        } catch (ApplicationContextException noServer) { // Spring has logged the reason
            throw options.wrong("port " + options.port() + " cannot be served, see above; choose another,"
                    + " or 0 for any free one");
        }
    }
}
