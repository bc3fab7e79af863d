package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.HttpFraming.Row;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that attackers send, and clients of HTTP/1.0, for each server of the library. */
public abstract class HttpFramingCases {
    protected final ActorScope scope = ActorSystem.open("framing");
    protected final AtomicInteger reached = new AtomicInteger();
    protected Server server;

    /** Starts a server with these routes. */
    protected abstract Server start(HttpRoutes routes);

    /** Further routes. */
    protected HttpRoutes more() {
        return HttpRoutes.none();
    }

    static Stream<Row> rows() {
        return HttpFraming.rows();
    }

    static Stream<String> good() {
        return HttpFraming.good();
    }

    @BeforeEach
    void start() {
        server = start(more()
                .get("/", call -> HttpAnswer.text("root"))
                .post("/read", call -> HttpAnswer.text(call.text()))
                .get("/stream", call -> HttpAnswer.stream("text/plain", out -> {
                    out.write("one ".getBytes());
                    out.flush();
                    out.write("two".getBytes());
                }))
                .get("/admin", call -> {
                    reached.incrementAndGet();
                    return HttpAnswer.text("secret");
                }));
    }

    @AfterEach
    void stop() {
        scope.close();
    }

    protected List<Integer> statuses(String request) throws Exception {
        return HttpFraming.statuses(HttpFraming.answersTo(server.port(), request));
    }

    /** What is logged as an error fails every test. */
    @ParameterizedTest
    @MethodSource("rows")
    void whatIsNotClearIsRefusedOnceAndNothingAfterItIsAnswered(Row row) throws Exception {
        var answers = HttpFraming.answers(server.port(), row.request());
        assertThat(HttpFraming.statuses(answers)).as(answers).containsExactly(400);
        assertThat(answers).contains("\r\nConnection: close\r\n");
        assertThat(reached).hasValue(0);
    }

    @ParameterizedTest
    @MethodSource("good")
    void whatIsUnusualButInOrderIsAnswered(String request) throws Exception {
        assertThat(HttpFraming.statuses(HttpFraming.answers(server.port(), request))).containsExactly(200,
                200);
        assertThat(reached).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"A: b\r\n", "A: b\r\nDigest: c; d=\"e\"\r\n", "Content-Length: 7\r\nHost: y\r\n"})
    void trailersAreReadOver(String trailers) throws Exception {
        var answers = HttpFraming.answers(server.port(), "POST /read HTTP/1.1\r\nHost: x\r\nTE: trailers\r\n"
                + "Trailer: A\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n" + trailers + "\r\n");
        assertThat(HttpFraming.statuses(answers)).containsExactly(200, 200);
        assertThat(answers).contains("\r\n\r\nhello");
    }

    @Test
    void trailersAreLimitedLikeHeaders() throws Exception {
        var start = "POST /read HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
        assertThat(statuses(start + "A: b\r\n".repeat(101) + "\r\n")).containsExactly(431);
        assertThat(statuses(start + "A: " + "b".repeat(40_000) + "\r\n\r\n")).containsExactly(431);
    }

    @Test
    void allOfTheServerCanBeAskedForWithOptions() throws Exception {
        var answers = HttpFraming.answers(server.port(), "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(HttpFraming.statuses(answers)).containsExactly(204, 200);
        assertThat(answers).contains("\r\nAllow: GET, HEAD, OPTIONS, POST\r\n");
    }

    @Test
    void anAbsoluteFormWithoutAPathIsTheRoot() throws Exception {
        assertThat(HttpFraming.answers(server.port(), "GET http://x HTTP/1.1\r\nHost: x\r\n\r\n"))
                .startsWith("HTTP/1.1 200 OK\r\n").contains("\r\n\r\nroot");
    }

    @Test
    void aClientOfHttp10GetsItsAnswerAndTheEndOfTheConnection() throws Exception {
        var answers = HttpFraming.answers(server.port(), "GET / HTTP/1.0\r\n\r\n");
        assertThat(HttpFraming.statuses(answers)).containsExactly(200);
        assertThat(answers).contains("\r\nContent-Length: 4\r\n").contains("\r\nConnection: close\r\n")
                .endsWith("\r\n\r\nroot");
        assertThat(statuses("HEAD / HTTP/1.0\r\nHost: x\r\n\r\n")).containsExactly(200);
    }

    @Test
    void itCanKeepTheConnection() throws Exception {
        var answers = HttpFraming.answersTo(server.port(),
                "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n".repeat(2)
                        + "POST /read HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello"
                        + "GET /admin HTTP/1.0\r\n\r\n");
        assertThat(HttpFraming.statuses(answers)).containsExactly(200, 200, 200);
        assertThat(answers).contains("\r\nConnection: keep-alive\r\n").endsWith("\r\n\r\nhello");
    }

    @Test
    void itGetsNoChunks() throws Exception {
        var answers =
                HttpFraming.answers(server.port(), "GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        assertThat(HttpFraming.statuses(answers)).containsExactly(200);
        assertThat(answers).contains("\r\nConnection: close\r\n").doesNotContain("chunked")
                .endsWith("\r\n\r\none two");
    }

    @Test
    void contentIsAskedForIfTheClientWaitsForThat() throws Exception {
        assertThat(statuses("POST /read HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello"))
                .containsExactly(200);
        assertThat(statuses("POST /read HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\n"
                + "Content-Length: 5\r\n\r\nhello")).containsExactly(100, 200);
        assertThat(HttpFraming.statuses(HttpFraming.answers(server.port(),
                "POST /read HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n")))
                .as("refused before it is asked for").containsExactly(413);
        assertThat(HttpFraming.statuses(HttpFraming.answers(server.port(),
                "GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")))
                .as("the connection is closed, since it is not known whether the content will come")
                .containsExactly(200);
    }

    /** A size that is cut to 32 bits would be 5. */
    @Test
    void aSizeBeyond32BitsIsThatLong() throws Exception {
        assertThat(HttpFraming.statuses(HttpFraming.answers(server.port(),
                "POST /read HTTP/1.1\r\nHost: x\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n100000005\r\nhello\r\n0\r\n\r\n")))
                .containsExactly(400);
        assertThat(reached).hasValue(0);
    }
}
