package io.fibry.internal.actor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.event.Undelivered.Cause;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Features of one actor are called in the order in which the actor has got them. */
class FeatureTest {
    private final List<String> calls = new CopyOnWriteArrayList<>();

    /** Notes how it is called. */
    private final class Noting extends Feature {
        private final String name;
        private final boolean stays;

        Noting(String name, boolean stays) {
            this.name = name;
            this.stays = stays;
        }

        @Override
        public boolean observes() {
            return true;
        }

        @Override
        public void before(Turn turn, Object entry) {
            calls.add(name + " before");
        }

        @Override
        public void after() {
            calls.add(name + " after");
        }

        @Override
        public void stopping() {
            calls.add(name + " stopping");
        }

        @Override
        public void stopped() {
            calls.add(name + " stopped");
            throw new IllegalStateException("what " + name + " throws");
        }

        @Override
        public void lost(Cause cause) {
            calls.add(name + " lost " + cause);
        }

        @Override
        public boolean stays() {
            return stays;
        }
    }

    private static final class Single extends Feature {
    }

    private static Cell cellOf(Actor<?, ?> actor) {
        return (Cell) (Object) actor;
    }

    private Actor<String, String> actor(ActorScope scope) {
        var actor = scope.anonymous().newActorWithReturn((String text) -> {
            calls.add(text);
            return text;
        });
        cellOf(actor).extendedState().add(new Noting("first", false));
        cellOf(actor).extendedState().add(new Noting("second", true));
        return actor;
    }

    @EveryStrategy
    void theyAreAroundEachMessageAndHearOfTheEndInTheirOrder(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = actor(scope);
            assertThat(Waits.on(actor.sendMessageReturn("handler"))).isEqualTo("handler");
            Waits.until("the turn has ended", () -> calls.size() == 5);
            assertThat(calls).containsExactly("first before", "second before", "handler", "second after",
                    "first after");
            calls.clear();
            actor.close();
            assertThat(calls).endsWith("first stopping", "second stopping", "first stopped",
                    "second stopped");
            calls.clear();
            actor.sendMessage("late");
            assertThat(calls).as("the first one is forgotten").containsExactly("second lost STOPPED");
        }
    }

    /** As timers, deferred replies and the reports of a growing mailbox are added: when they are first needed. */
    @Test
    void oneOfAClassIsAddedByWhicheverThreadIsFirst() throws Exception {
        var states = Stream.generate(ExtendedState::new).limit(20_000).toList();
        var arrived = new AtomicInteger();
        var mine = new Single[states.size()];
        var others = new Single[states.size()];
        var other = Thread.ofPlatform().start(() -> addToAll(states, arrived, others));
        addToAll(states, arrived, mine);
        other.join();
        for (int i = 0; i < mine.length; i++) {
            assertThat(states.get(i).features()).containsExactly(mine[i]);
            assertThat(others[i]).isSameAs(mine[i]);
        }
    }

    /** Two threads meet before each state, so they add to it at the same time. */
    private static void addToAll(List<ExtendedState> states, AtomicInteger arrived, Single[] found) {
        for (int i = 0; i < found.length; i++) {
            arrived.incrementAndGet();
            while (arrived.get() < 2 * (i + 1)) {
                Thread.onSpinWait();
            }
            found[i] = states.get(i).addIfAbsent(Single.class, new Single());
        }
    }
}
