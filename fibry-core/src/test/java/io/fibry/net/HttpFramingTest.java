package io.fibry.net;

import static io.fibry.net.HttpFixture.in;
import static io.fibry.net.HttpFixture.local;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.HttpFraming;
import io.fibry.testing.HttpFramingCases;
import io.fibry.testing.Promise;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that attackers send to fibry-core. */
@Promise("14.7")
@Tag("once")
class HttpFramingTest extends HttpFramingCases {
    @Override
    protected Server start(HttpRoutes routes) {
        return in(scope).embeddedHttpServer(local(), routes);
    }

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
