package io.fibry.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.testing.Child;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The snippets of the articles compile and run as they are printed. */
@Tag("once")
class ArticleTest {
    @Test
    void aMillionSinks() {
        for (int i = 0; i < 1_000_000; i++)
            Stereotypes.fibers().sink(null);
    }

    @Test
    void sinksOnThreads() {
        for (int i = 0; i < 100; i++)
            Stereotypes.threads().sink(null).close();
    }

    @Test
    void aQuarterOfAMillionAsks() {
        var act = ActorSystem.anonymous().newActorWithReturn((Integer n) -> n * n);
        Stereotypes.def().runOnceSilent(() -> {
            for (int i = 0; i < 250_000; i++)
                act.sendMessageReturn(i).get();
        }).closeOnExit(act).waitForExit();

        assertThat(act.counters().handled()).isEqualTo(250_000);
        assertThat(act.state()).isEqualTo(ActorState.STOPPED);
    }

    @Test
    void aQuarterOfAMillionAsksFromAThread() {
        var act = ActorSystem.anonymous().newActorWithReturn((Integer n) -> n * n);
        Stereotypes.threads().runOnceSilent(() -> {
            for (int i = 0; i < 250_000; i++)
                act.sendMessageReturn(i).get();
        }).closeOnExit(act).waitForExit();

        assertThat(act.counters().handled()).isEqualTo(250_000);
        assertThat(act.state()).isEqualTo(ActorState.STOPPED);
    }

    @Test
    void aTcpServerInAFewLines() throws Exception {
        assertThat(Child.run(ArticleTcp.class, List.of())).contains("HTTP/1.1 200 OK").contains("Hello!");
    }

    /** As it is printed. It is not run: nobody knows whether that port is free, and it would run for ever. */
    static void anHttpServerAsPrinted() {
        Stereotypes.def().embeddedHttpServer(12345, exchange -> "Hello World!");
    }

    @Test
    void anHttpServer() throws Exception {
        var server = Stereotypes.def().embeddedHttpServer(0, exchange -> "Hello World!");
        try (var client = HttpClient.newHttpClient()) {
            var request =
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/")).build();
            assertThat(client.send(request, BodyHandlers.ofString()).body()).isEqualTo("Hello World!");
        } finally {
            server.close();
        }
    }
}
