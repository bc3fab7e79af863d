package io.fibry.internal.actor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.internal.limit.Permit;
import io.fibry.internal.run.Quota;
import io.fibry.testing.Scopes;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The places that an ask gets before it is sent, while another thread may end the wait for its answer. */
class PlacesOfAsksTest {
    private final Quota quota = new Quota(1);

    /** Makes an ask that is not sent, does something with its answer, and gives places to the ask; returns the ask. */
    private AskNode withPlaces(Consumer<Answer<@Nullable Object>> meanwhile) {
        try (var scope = Scopes.configure().open()) {
            var cell = (Cell) scope.anonymous().newActor((String message) -> {
            });
            var answer = new Answer<@Nullable Object>(cell);
            var ask = AskNode.to(cell.spec(), "a message", answer);
            meanwhile.accept(answer);
            assertThat(quota.take()).isTrue();
            ask.hold(new Permit(List.of(quota), List.of()));
            return ask;
        }
    }

    @Test
    void belongToTheAskUntilItIsTakenBack() {
        var ask = withPlaces(answer -> {
        });
        assertThat(quota.taken()).isEqualTo(1);
        assertThat(ask.content()).isEqualTo("a message");

        ask.clear();
        assertThat(quota.taken()).isZero();
        assertThat(ask.content()).isNull();
    }

    @Test
    void areGivenBackAtOnceIfTheAskWasTakenBackBefore() {
        var ask = withPlaces(answer -> assertThat(answer.cancel(true)).isTrue());

        assertThat(quota.taken()).isZero();
        assertThat(ask.content()).isNull();
    }

    /** The thread that ends the wait has completed the answer, and has not come to the node yet. */
    @Test
    void areGivenBackAtOnceIfTheAskIsAboutToBeTakenBack() {
        var ask = withPlaces(answer -> assertThat(answer.fail(new IllegalStateException("over"))).isTrue());

        assertThat(quota.taken()).isZero();
        assertThat(ask.content()).isNull();
    }

    @Test
    void goWithTheAskToAnotherNode() {
        var ask = withPlaces(answer -> {
        });
        var moved = ask.moved("a message");
        moved.takeOver();

        ask.clear();
        assertThat(quota.taken()).isEqualTo(1);
        moved.clear();
        assertThat(quota.taken()).isZero();
    }
}
