package io.fibry.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorException;
import io.fibry.ActorName;
import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.GroupPolicy;
import io.fibry.Lifetime;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.event.Undelivered;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class ActorNameTest {
    private static final ActorName<String, Integer> LENGTH = ActorName.of("length");
    private static final ActorName<Count, Reply> COUNT = ActorName.of("count");
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Recorder events = new Recorder();

    private record Count(String text) implements Request<Integer> {
    }

    @Promise("31.1")
    @EveryStrategy
    void aTypedNameNeedsNoCasts(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            assertThat(scope.find(LENGTH)).isEmpty();
            var made =
                    scope.make(LENGTH, builder -> builder.newActorWithReturn((String text) -> text.length()));
            int length = scope.find(LENGTH).orElseThrow().apply("four");
            assertThat(length).isEqualTo(4);
            assertThat(scope.findOrMake(LENGTH, builder -> builder.newActorWithReturn((String text) -> -1)))
                    .isSameAs(made);
            assertThat(scope.names()).containsExactly("length");
            assertThatThrownBy(
                    () -> scope.make(LENGTH, builder -> builder.newActorWithReturn((String text) -> -1)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'length'");
            made.close();
            var got = new CopyOnWriteArrayList<String>();
            ActorName<String, Void> late = ActorName.of("late");
            assertThat(scope.sendOrKeep(late, "kept", 1)).isTrue();
            var taker = scope.findOrMake(late, builder -> builder.newActor((String text) -> got.add(text)));
            assertThat(scope.sendOrKeep(late, "sent", 0)).isTrue();
            taker.close();
            assertThat(got).containsExactly("kept", "sent");
        }
    }

    @Promise("31.1")
    @EveryStrategy
    void membersOfGroupsHaveTypedNames(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var group = scope.anonymous().newGroup(GroupPolicy.oneForOne());
            group.add(LENGTH, Lifetime.PERMANENT,
                    builder -> builder.newActorWithReturn((String text) -> text.length()));
            int length = scope.find(LENGTH).orElseThrow().apply("abc");
            assertThat(length).isEqualTo(3);
            group.close();
        }
    }

    @Promise("31.1")
    @EveryStrategy
    void aRequestToANameIsAnsweredOrRefused(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            for (var ask : List.of(scope.request(COUNT, new Count("a")),
                    scope.request(COUNT, new Count("a"), LONG),
                    scope.request(ActorName.of("count"), new Count("a")),
                    scope.request(ActorName.of("count"), new Count("a"), LONG))) {
                assertThat(Waits.failure(ask)).isExactlyInstanceOf(ActorException.class)
                        .hasMessageContainingAll("'count'", "'test'", "Count", "make it first");
            }
            assertThat(events.of(Undelivered.class)).hasSize(4)
                    .allMatch(lost -> lost.cause() == Undelivered.Cause.NO_SUCH_ACTOR);
            assertThat(scope.counters().refused()).isEqualTo(4);
            Actor<Count, Reply> actor = scope.make(COUNT,
                    builder -> builder
                            .newActorWithReturn((Count count) -> count.reply(count.text().length())));
            int length = Waits.on(scope.request(COUNT, new Count("four")));
            assertThat(length).isEqualTo(4);
            assertThat(Waits.on(scope.request(COUNT, new Count("ab"), LONG))).isEqualTo(2);
            int byText = Waits.on(scope.request(ActorName.of("count"), new Count("abc")));
            assertThat(byText).isEqualTo(3);
            int limited = Waits.on(scope.request(ActorName.of("count"), new Count("a"), LONG));
            assertThat(limited).isEqualTo(1);
            try (var gate = Gate.in(actor)) {
                var late = scope.request(COUNT, new Count("late"), LONG);
                time.advance(LONG);
                assertThat(Waits.failure(late)).isInstanceOf(AskTimeoutException.class);
                gate.open();
            }
        }
    }

    @Promise("31.1")
    @Test
    void aTextThatIsNoNameIsRefused() {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            assertThatThrownBy(() -> scope.request(ActorName.of(" "), new Count("a")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("blank");
            assertThatThrownBy(() -> scope.request(ActorName.of("count"), new Count("a"), Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("PT0S");
        }
    }

    @Promise("31.1")
    @Test
    void badNamesAndMakersAreRefused() {
        assertThatThrownBy(() -> ActorName.of(" ")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("blank");
        assertThat(ActorName.<String, Integer>of("length")).isEqualTo(LENGTH)
                .hasToString("ActorName[text=length]");
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var other = scope.anonymous().newActorWithReturn((String text) -> 1);
            assertThatThrownBy(() -> scope.make(LENGTH, builder -> other))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("'length'", "builder that it is given");
        }
    }

    @Promise("31.1")
    @Test
    void theRootScopeHasTypedNamesToo() throws Exception {
        ActorName<Count, Reply> name = ActorName.of("ActorNameTest.count");
        assertThat(ActorSystem.find(name)).isEmpty();
        assertThat(ActorSystem.root().sendOrKeep(name, new Count("kept"), 1)).isTrue();
        try (var made = ActorSystem.root().make(name,
                builder -> builder.newActorWithReturn((Count count) -> count.reply(count.text().length())))) {
            assertThat(ActorSystem.root().findOrMake(name, builder -> {
                throw new AssertionError("there is one");
            })).isSameAs(made);
            assertThat(Waits.on(ActorSystem.root().request(name, new Count("abc")))).isEqualTo(3);
            assertThat(Waits.on(ActorSystem.root().request(name, new Count("abc"), LONG))).isEqualTo(3);
            assertThat(Waits.on(ActorSystem.root().request(name, new Count("a")))).isEqualTo(1);
            assertThat(Waits.on(ActorSystem.root().request(name, new Count("ab"), LONG))).isEqualTo(2);
        }
    }
}
