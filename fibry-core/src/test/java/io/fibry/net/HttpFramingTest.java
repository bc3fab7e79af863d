package io.fibry.net;

import static io.fibry.net.HttpFixture.in;
import static io.fibry.net.HttpFixture.local;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.testing.HttpFraming;
import io.fibry.testing.HttpFraming.Row;
import io.fibry.testing.Promise;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that attackers send, on the JDK's engine. */
@Tag("once")
class HttpFramingTest {
    private final ActorScope scope = ActorSystem.open("framing");
    private final AtomicInteger reached = new AtomicInteger();
    private Server server;

    static Stream<Row> rows() {
        return HttpFraming.rows();
    }

    static Stream<String> good() {
        return HttpFraming.good();
    }

    @BeforeEach
    void start() {
        server = in(scope).embeddedHttpServer(local(), HttpRoutes.none()
                .get("/", call -> HttpAnswer.text("root"))
                .post("/read", call -> HttpAnswer.text(call.text()))
                .get("/admin", call -> {
                    reached.incrementAndGet();
                    return HttpAnswer.text("secret");
                }));
    }

    @AfterEach
    void stop() {
        scope.close();
    }

    @Promise("14.7")
    @ParameterizedTest
    @MethodSource("rows")
    void whatIsNotClearIsRefusedOnceAndNothingAfterItIsAnswered(Row row) throws Exception {
        var answers = HttpFraming.answers(server.port(), row.request());
        var statuses = HttpFraming.statuses(answers);
        if (row.jdk() == HttpFraming.TAKEN) {
            assertThat(statuses).as("docs/net.md says what the engine takes").startsWith(200);
            return;
        }
        assertThat(statuses).as(answers)
                .isEqualTo(row.jdk() == HttpFraming.CLOSED ? List.of() : List.of(row.jdk()));
        assertThat(reached).hasValue(0);
    }

    @Promise("14.7")
    @ParameterizedTest
    @MethodSource("good")
    void whatIsUnusualButInOrderIsAnswered(String request) throws Exception {
        assertThat(HttpFraming.statuses(HttpFraming.answers(server.port(), request))).containsExactly(200,
                200);
    }

    @Promise("14.7")
    @ParameterizedTest
    @ValueSource(strings = {"//x/admin", "foo:/admin", "/./admin", "/a/%2e%2e/admin", "/%00",
        "http://y/admin"})
    void handlersOfTextsAreGuardedAlike(String target) throws Exception {
        var texts = in(scope).embeddedHttpServer(local(), exchange -> {
            reached.incrementAndGet();
            return "secret";
        });
        assertThat(HttpFraming.statuses(HttpFraming.answers(texts.port(),
                "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n"))).containsExactly(400);
        assertThat(reached).hasValue(0);
    }
}
