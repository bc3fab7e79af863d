package io.fibry.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.annotation.DirtiesContext.ClassMode;

/** The starter in a program with a web server and the actuator. */
@SpringBootTest(classes = WebProgram.class, webEnvironment = WebEnvironment.RANDOM_PORT, properties = {
    "server.address=127.0.0.1", "spring.application.name=shop", "fibry.requests.strategy=fibers",
    "management.endpoints.web.exposure.include=*", "management.endpoint.health.show-details=always"})
@DirtiesContext(classMode = ClassMode.AFTER_CLASS)
class WebProgramTest {
    private static final int REQUESTS = 50;

    @LocalServerPort
    private int port;

    @Autowired
    private ConfigurableApplicationContext context;

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    private HttpResponse<String> get(String path, String accept) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            return client.send(request(path).header("Accept", accept).build(), BodyHandlers.ofString());
        }
    }

    @Test
    @Promise("59.2")
    void noRequestThatIsInFlightFailsAndNoMessageIsLost() throws Exception {
        var program = new SpringApplicationBuilder(WebProgram.class).run("--server.port=0",
                "--server.address=127.0.0.1", "--spring.main.banner-mode=off",
                "--fibry.requests.strategy=fibers");
        var to = URI.create(
                "http://127.0.0.1:" + program.getEnvironment().getProperty("local.server.port") + "/buy");
        var gate = program.getBean(WebProgram.Gate.class);
        var scope = program.getBean(ActorScope.class);
        try (program; var client = HttpClient.newHttpClient()) {
            var answers = IntStream.range(0, REQUESTS).mapToObj(i -> client.sendAsync(
                    HttpRequest.newBuilder(to).POST(BodyPublishers.noBody()).build(),
                    BodyHandlers.ofString())).toList();
            Waits.until("all requests are in their handlers", () -> gate.requests.get() == REQUESTS);
            Waits.on(gate.asked);
            var closed = CompletableFuture.runAsync(program::close, run -> Thread.ofPlatform().start(run));
            Waits.on(gate.closing);
            gate.open.countDown();

            for (var answer : answers) {
                var response = Waits.on(answer);
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(response.body()).isEqualTo("paid 3");
            }
            Waits.on(closed);
        }
        assertThat(gate.billed).hasValue(3 * REQUESTS);
        assertThat(scope.onStopped())
                .isCompletedWithValueMatching(report -> report.stopped() && !report.forced()
                        && report.lost().isEmpty() && report.stuck().isEmpty());
    }

    @Test
    @Promise("59.7")
    void requestsRunOnTheStrategy() throws Exception {
        assertThat(get("/thread", "text/plain").body()).isEqualTo("virtual");
    }

    /** Spring Boot sets an executor for them, too. */
    @Test
    @Promise("59.7")
    void requestsRunOnTheStrategyAlsoWithVirtualThreads() throws Exception {
        try (var program = new SpringApplicationBuilder(WebProgram.class).run("--server.port=0",
                "--server.address=127.0.0.1", "--spring.main.banner-mode=off",
                "--spring.threads.virtual.enabled=true", "--fibry.requests.strategy=pool");
                var client = HttpClient.newHttpClient()) {
            var to = URI.create("http://127.0.0.1:"
                    + program.getEnvironment().getProperty("local.server.port") + "/thread");
            assertThat(client.send(HttpRequest.newBuilder(to).build(), BodyHandlers.ofString()).body())
                    .startsWith("fibry-pool-");
        }
    }

    @Test
    @Promise("59.8")
    void theEndpointHasADumpAsJsonAndAsText() throws Exception {
        var json = get("/actuator/fibry", "application/json");
        assertThat(json.statusCode()).isEqualTo(200);
        assertThat(json.headers().firstValue("Content-Type")).hasValueSatisfying(
                type -> assertThat(type).startsWith("application/json"));
        assertThat(json.body()).startsWith("{\"takenAt\":").contains("\"name\":\"shop\"", "\"prices\"");
        assertThat(get("/actuator/fibry", "*/*").body()).startsWith("{\"takenAt\":");
        assertThat(get("/actuator/fibry", "application/vnd.spring-boot.actuator.v3+json").statusCode())
                .isEqualTo(200);

        var text = get("/actuator/fibry", "text/plain");
        assertThat(text.headers().firstValue("Content-Type")).hasValue("text/plain;charset=UTF-8");
        assertThat(text.body()).contains("Scope 'shop' (open): 2 actors");

        try (var client = HttpClient.newHttpClient()) {
            assertThat(client.send(request("/actuator/fibry").POST(BodyPublishers.noBody()).build(),
                    BodyHandlers.ofString()).statusCode()).isEqualTo(405);
        }
    }

    @Test
    @Promise("59.8")
    void theHealthOfTheActuatorHasTheScope() throws Exception {
        assertThat(get("/actuator/health", "application/json").body()).contains(
                "\"fibry\":{\"details\":{\"shop\":{\"state\":\"OPEN\",\"actors\":2,\"waiting\":0,\"stuck\":{}}},\"status\":\"UP\"}");
    }

    @Test
    @Promise("59.7")
    void theMetersOfTheScopeAndOfTheRootScopeAreInTheRegistry() throws Exception {
        try (var outside = ActorSystem.anonymous().newActor((Integer any) -> {
        })) {
            outside.sendMessage(1);
            var registry = context.getBean(MeterRegistry.class);
            assertThat(registry.find("fibry.actors.live").tag("scope", "shop").gauges())
                    .as("by the bean of the starter").isNotEmpty();
            assertThat(registry.find("fibry.actors.live").gauges())
                    .as("by ServiceLoader and the global registry")
                    .anySatisfy(meter -> assertThat(meter.getId().getTag("actors"))
                            .contains(WebProgramTest.class.getSimpleName()));
            assertThat(registry.get("fibry.lanes.rescues").meters())
                    .extracting(meter -> meter.getId().getTag("scope")).contains("root", "shop");
        }
        assertThat(get("/actuator/metrics/fibry.mailbox.depth", "application/json").body()).contains("shop");
    }
}
