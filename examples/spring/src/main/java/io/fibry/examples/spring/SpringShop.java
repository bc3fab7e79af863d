package io.fibry.examples.spring;

import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.tomcat.TomcatProtocolHandlerCustomizer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.support.TaskExecutorAdapter;
import org.springframework.scheduling.annotation.EnableAsync;

/**
 * Spring Boot on Fibry.
 *
 * <p>Look at the three beans: nothing else is needed. A strategy is an executor, so it runs Spring's requests and
 * {@code @Async} methods. A scope can be closed, so Spring closes it with the context: after the web server, and when
 * its actors have handled what was queued.
 */
@SpringBootApplication(proxyBeanMethods = false)
@EnableAsync
public class SpringShop {
    /** Called by Spring. */
    SpringShop() {
    }

    @Bean
    ActorScope shop() {
        return ActorScope.open("shop");
    }

    /** Handles requests where the actors of a strategy run: here on a virtual thread for each request. */
    @Bean
    TomcatProtocolHandlerCustomizer<?> requests() {
        return protocol -> protocol.setExecutor(CreationStrategy.fibers().executorFor("requests"));
    }

    /** Runs methods with {@code @Async} in the same way, on a pool of two threads. */
    @Bean
    AsyncTaskExecutor applicationTaskExecutor() {
        return new TaskExecutorAdapter(CreationStrategy.pool(2).executorFor("async"));
    }

    static ConfigurableApplicationContext start(int port) {
        var application = new SpringApplication(SpringShop.class);
        application.setRegisterShutdownHook(false); // CtrlC closes the application
        application.setDefaultProperties(Map.of("server.port", port, "server.address", "127.0.0.1",
                "spring.main.banner-mode", "off", "server.shutdown", "graceful"));
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
                      ab -k -n 20000 -c 100 http://127.0.0.1:%1$d/         expect "Failed requests: 0"
                    """, portOf(context));
            CtrlC.closes(context);
        } catch (ApplicationContextException noServer) { // Spring has logged the reason
            throw options.wrong("port " + options.port() + " cannot be served, see above; choose another,"
                    + " or 0 for any free one");
        }
    }
}
