package io.fibry.builders;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.Lifetime;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.ReceivingReplyContext;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.StatefulActor;
import io.fibry.StatefulActorBuilder;
import io.fibry.builders.Setting.Place;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.keyed.KeyedActors;
import io.fibry.keyed.StatefulKeyedActors;
import io.fibry.message.MessageFate;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The matrix of what can be combined when an actor is made. Each row of {@link Combination} is an actor that handles
 * messages, restarts and stops as it was promised, or it is refused and the exception states why.
 *
 * <p>The columns are the strategy, the place (scope, group, child, key), the mailbox, the form (handlers, requests,
 * receiving), the state, the context, hooks, and each {@link Setting}. Each life sends tracked messages, messages with a time to
 * live and asks, runs code, fails once and is restarted. With a context, requests are answered by deferred replies, and an actor that
 * may put messages aside does so. An actor that takes urgent messages gets one.
 */
class CombinationsTest {
    private static final int GUEST = 7;

    /** The message of all actors: a number to add, which fails if it is negative. */
    private record Add(int n) implements Request<Integer> {
    }

    /** The state of an actor, or what an actor without a state adds to. */
    private static final class Sum implements AutoCloseable {
        final List<String> trace;
        final boolean isState;
        int value;

        Sum(List<String> trace, boolean isState) {
            this.trace = trace;
            this.isState = isState;
            if (isState) {
                trace.add("made");
            }
        }

        int add(Add message) {
            if (message.n() < 0) {
                throw new IllegalArgumentException("as wanted");
            }
            trace.add("handled " + message.n());
            value += message.n();
            return value;
        }

        @Override
        public void close() {
            trace.add("closed");
        }
    }

    /** One actor of the matrix, from its making to its end. */
    private static final class Life {
        final Combination row;
        final List<String> trace = new CopyOnWriteArrayList<>();
        final Sum shared = new Sum(trace, false);
        final AtomicReference<@Nullable Actor<Add, ?>> made = new AtomicReference<>();
        final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        final AtomicBoolean hasPutAside = new AtomicBoolean();
        final AtomicInteger intercepted = new AtomicInteger();

        Life(Combination row) {
            this.row = row;
        }

        // ---- What the actor does. ----

        private void starts() {
            trace.add("start");
        }

        private static Reply reply(Sum sum, Add message) {
            return message.reply(sum.add(message));
        }

        private static void receive(ReceivingContext<Add> inbox, Sum sum, Add message)
                throws InterruptedException {
            sum.add(message);
            if (message.n() == 3) { // code that was given to the actor runs here, before messages that are passed over
                assertThat(inbox.receive(any -> false, Duration.ZERO)).isEmpty();
            }
        }

        private static void body(ReceivingContext<Add> inbox, Sum sum) throws InterruptedException {
            while (true) {
                sum.add(inbox.receive());
            }
        }

        private static void answeringBody(ReceivingReplyContext<Add, Integer> inbox, Sum sum)
                throws InterruptedException {
            while (true) {
                inbox.reply(sum.add(inbox.receive()));
            }
        }

        /** Puts one message aside and takes it back, which the trace does not show. */
        private boolean putsAside(ActorContext<?, ?> context, Add message) {
            if (!row.has(Setting.STASH) || message.n() != 3 || !hasPutAside.compareAndSet(false, true)) {
                return false;
            }
            context.stash();
            context.unstashAll();
            return true;
        }

        private static <T> T inside(ActorContext<?, ?> context, T result) {
            assertThat(context.exitRequested()).isFalse();
            return result;
        }

        /** Defers the reply and completes it, which the answer does not show. */
        private static @Nullable Reply later(ActorContext<Add, Reply> context, Reply reply) {
            assertThat(context.deferReply().complete(reply)).isTrue();
            return null;
        }

        // ---- How it is made. ----

        private ActorBuilder set(ActorBuilder builder) {
            var set = builder.onFailure(FailurePolicy.restart()).onExit(() -> trace.add("end"))
                    .mailbox(switch (row.mailbox()) {
                        case UNBOUNDED -> MailboxPolicy.unbounded();
                        case BLOCKS -> MailboxPolicy.bounded(16, OverflowPolicy.block());
                        case FAILS -> MailboxPolicy.bounded(16, OverflowPolicy.fail());
                        case DROPS_OLDEST -> MailboxPolicy.bounded(16, OverflowPolicy.dropOldest());
                    });
            for (var setting : row.settings()) {
                set = setting.on(set);
            }
            if (row.has(Setting.AROUND)) {
                set = set.around(handling -> {
                    intercepted.incrementAndGet();
                    return handling.proceed();
                });
            }
            var keyedOrPlain = !row.state() || row.place() == Place.KEYED;
            if (!row.start() || !keyedOrPlain) {
                return set;
            }
            return row.context() ? set.<Add>onStart(context -> inside(context, trace.add("start")))
                    : set.onStart(this::starts);
        }

        private Actor<Add, ?> make(ActorBuilder given) {
            var builder = set(given);
            return row.state() ? withState(builder.state(() -> new Sum(trace, true))) : withoutState(builder);
        }

        private Actor<Add, ?> withState(StatefulActorBuilder<Sum> given) {
            var ending = given.onExit(sum -> trace.add("exit " + sum.value));
            var started = row.start() ? ending.onStart(sum -> starts()) : ending;
            var builder = row.start() && row.context()
                    ? ending.of(Add.class).onStart((context, sum) -> inside(context, trace.add("start")))
                    : started.of(Add.class);
            return switch (row.form()) {
                case TELLS -> row.context()
                        ? builder.newActor((context, sum, message) -> {
                            if (!putsAside(context, message)) {
                                inside(context, sum.add(message));
                            }
                        })
                        : builder.newActor((sum, message) -> sum.add(message));
                case ANSWERS -> row.context()
                        ? builder.<Integer>newActorWithReturn(
                                (context, sum, message) -> putsAside(context, message) ? null
                                        : inside(context, sum.add(message)))
                        : builder.newActorWithReturn((sum, message) -> sum.add(message));
                case REQUESTS -> row.context()
                        ? builder.<Reply>newActorWithReturn(
                                (context, sum, message) -> putsAside(context, message) ? null
                                        : later(context, reply(sum, message)))
                        : builder.<Reply>newActorWithReturn(Life::reply);
                default -> throw new AssertionError("no such actor: " + row);
            };
        }

        private Actor<Add, ?> withoutState(ActorBuilder builder) {
            return switch (row.form()) {
                case TELLS -> row.context()
                        ? builder.<Add>newActor((context, message) -> {
                            if (!putsAside(context, message)) {
                                inside(context, shared.add(message));
                            }
                        })
                        : builder.newActor((Add message) -> {
                            shared.add(message);
                        });
                case ANSWERS -> row.context()
                        ? builder.<Add, Integer>newActorWithReturn(
                                (context, message) -> putsAside(context, message) ? null
                                        : inside(context, shared.add(message)))
                        : builder.newActorWithReturn((Add message) -> shared.add(message));
                case REQUESTS -> row.context()
                        ? builder.<Add, Reply>newActorWithReturn(
                                (context, message) -> putsAside(context, message) ? null
                                        : later(context, reply(shared, message)))
                        : builder.newActorWithReturn((Add message) -> reply(shared, message));
                case RECEIVES ->
                    builder.<Add>newReceivingActor((inbox, message) -> receive(inbox, shared, message));
                case BODY -> builder.<Add>newReceivingActor(inbox -> body(inbox, shared));
                case RECEIVES_AND_ANSWERS -> builder.<Add, Integer>newReceivingActorWithReturn(
                        (inbox, message) -> inside(inbox, shared.add(message)));
                case ANSWERING_BODY ->
                    builder.<Add, Integer>newReceivingActorWithReturn(inbox -> answeringBody(inbox, shared));
            };
        }

        private static String key(Add message) {
            return "key";
        }

        private KeyedActors<String, Add, ?> keyed(ActorBuilder builder) {
            var actors = set(builder).<String, Add>keyed(Life::key).idle(Combination.LONG);
            if (row.state()) {
                Function<String, Sum> state = key -> new Sum(trace, true);
                return switch (row.form()) {
                    case ANSWERS -> row.context()
                            ? actors.<Sum, Integer>newActorsWithReturn(state,
                                    (context, sum, message) -> inside(context, sum.add(message)))
                            : actors.<Sum, Integer>newActorsWithReturn(state, Sum::add);
                    case REQUESTS -> row.context()
                            ? actors.<Sum, Reply>newActorsWithReturn(state,
                                    (context, sum, message) -> later(context, reply(sum, message)))
                            : actors.<Sum, Reply>newActorsWithReturn(state, Life::reply);
                    default -> row.context()
                            ? actors.newActors(state,
                                    (context, sum, message) -> inside(context, sum.add(message)))
                            : actors.newActors(state, Sum::add);
                };
            }
            return switch (row.form()) {
                case ANSWERS -> actors.<Integer>newActorsWithReturnFrom(
                        key -> row.context()
                                ? (ContextReplyHandler<Add, Integer>) (context, message) -> inside(context,
                                        shared.add(message))
                                : (ReplyHandler<Add, Integer>) shared::add);
                case REQUESTS -> actors.<Reply>newActorsWithReturnFrom(
                        key -> row.context()
                                ? (ContextReplyHandler<Add, Reply>) (context, message) -> later(context,
                                        reply(shared, message))
                                : (ReplyHandler<Add, Reply>) message -> reply(shared, message));
                default -> actors.newActorsFrom(key -> row.context()
                        ? (ContextHandler<Add>) (context, message) -> inside(context, shared.add(message))
                        : (Handler<Add>) shared::add);
            };
        }

        // ---- What is promised. ----

        void expectRefusal(ActorScope scope) throws Exception {
            @Nullable Throwable refusal = null;
            try {
                switch (row.place()) {
                    case SCOPE -> make(scope.anonymous());
                    case KEYED -> keyed(scope.anonymous());
                    case CHILD -> child(scope).close();
                    case GROUP -> group(scope).close();
                }
                refusal = failure.get();
            } catch (IllegalStateException thrown) {
                refusal = thrown;
            }
            assertThat(refusal).isInstanceOf(IllegalStateException.class);
            var text = String.valueOf(refusal == null ? null : refusal.getMessage());
            assertThat(row.refusals()).as("reasons for: " + text)
                    .anyMatch(parts -> parts.stream().allMatch(text::contains));
            assertThat(trace).isEmpty();
        }

        private Actor<Add, ?> makeAndKeep(ActorBuilder builder) {
            try {
                var actor = make(builder);
                made.set(actor);
                return actor;
            } catch (Throwable refused) {
                failure.set(refused);
                throw refused;
            }
        }

        private AutoCloseable child(ActorScope scope) throws Exception {
            var parent =
                    scope.anonymous().<String>newActor((context, message) -> makeAndKeep(context.child()));
            parent.sendMessage("make it");
            parent.execAndWait(() -> {
            });
            return parent;
        }

        private AutoCloseable group(ActorScope scope) {
            return scope.anonymous().newGroup(GroupPolicy.oneForOne()).add(
                    "member of " + System.identityHashCode(this),
                    Lifetime.TEMPORARY, this::makeAndKeep);
        }

        void expectLife(ActorScope scope, ManualTime time) throws Exception {
            if (row.place() == Place.KEYED) {
                try (var actors = keyed(scope.anonymous())) {
                    handles(actors);
                }
            } else {
                AutoCloseable around = switch (row.place()) {
                    case CHILD -> child(scope);
                    case GROUP -> group(scope);
                    default -> makeAndKeep(scope.anonymous());
                };
                try (around) {
                    var actor = made.get();
                    assertThat(actor).isNotNull();
                    var end = actor.onStopped();
                    handles(actor);
                    if (row.has(Setting.STOP_WHEN_IDLE)) {
                        time.advance(Combination.IDLE);
                        Waits.stopped(actor);
                    }
                    around.close();
                    assertThat(Waits.on(end).stopped()).isTrue();
                }
            }
            assertThat(trace).isEqualTo(expected());
            if (row.has(Setting.AROUND)) {
                assertThat(intercepted).hasValue(
                        4 + (row.has(Setting.URGENT) ? 1 : 0) + (hasPutAside.get() ? 1 : 0));
            }
        }

        private List<String> expected() {
            var expected = new ArrayList<String>();
            begins(expected);
            expected.add("handled 1");
            if (row.state()) {
                expected.add("closed");
            }
            begins(expected);
            expected.addAll(List.of("handled 2", "handled 3"));
            if (row.has(Setting.URGENT)) {
                expected.add("handled 0");
            }
            expected.add("end");
            if (row.state()) {
                if (row.place() != Place.KEYED) {
                    expected.add("exit " + (5 + GUEST));
                }
                expected.add("closed");
            }
            return expected;
        }

        private void begins(List<String> expected) {
            if (row.state()) {
                expected.add("made");
            }
            if (row.start()) {
                expected.add("start");
            }
        }

        private int sum() {
            return row.state() ? 5 : 6;
        }

        @SuppressWarnings("unchecked") // as the actor was made
        private void handles(Actor<Add, ?> actor) throws Exception {
            var first = actor.sendTracked(new Add(1));
            var failing = actor.sendTracked(new Add(-1), Combination.LONG);
            assertThat(actor.sendMessage(new Add(2), Combination.LONG)).isTrue();
            switch (row.form()) {
                case ANSWERS, RECEIVES_AND_ANSWERS, ANSWERING_BODY ->
                    assertThat(Waits.on(((Actor<Add, Integer>) actor).sendMessageReturn(new Add(3))))
                            .isEqualTo(sum());
                case REQUESTS -> assertThat(Waits.on(actor.request(new Add(3))).intValue()).isEqualTo(sum());
                default -> assertThat(actor.sendMessage(new Add(3))).isTrue();
            }
            assertThat(Waits.on(actor.execFuture(() -> GUEST)).intValue()).isEqualTo(GUEST);
            if (row.state()) {
                var stateful = (StatefulActor<Sum, Add, ?>) actor;
                assertThat(stateful.execWithState(sum -> sum.value += GUEST)).isTrue();
                Future<Integer> sum = stateful.execFutureWithState(state -> state.value);
                assertThat(Waits.on(sum).intValue()).isEqualTo(5 + GUEST);
            } else {
                assertThat(Waits.on(actor.execFuture(() -> shared.value)).intValue()).isEqualTo(6);
            }
            expectFates(first, failing);
            if (row.has(Setting.URGENT)) {
                assertThat(actor.sendUrgent(new Add(0))).isTrue();
            }
        }

        private static void expectFates(CompletableFuture<MessageFate> first,
                CompletableFuture<MessageFate> failing)
                throws Exception {
            assertThat(Waits.on(first)).isInstanceOf(MessageFate.Handled.class);
            assertThat(Waits.on(failing)).isInstanceOf(MessageFate.Failed.class);
        }

        @SuppressWarnings("unchecked") // as the actors were made
        private void handles(KeyedActors<String, Add, ?> actors) throws Exception {
            var first = actors.sendTracked(new Add(1));
            var failing = actors.sendTracked(new Add(-1), Combination.LONG);
            assertThat(actors.sendMessage(new Add(2), Combination.LONG)).isTrue();
            switch (row.form()) {
                case ANSWERS -> assertThat(Waits.on(((KeyedActors<String, Add, Integer>) actors)
                        .sendMessageReturn(new Add(3))).intValue()).isEqualTo(sum());
                case REQUESTS -> assertThat(Waits.on(actors.request(new Add(3))).intValue()).isEqualTo(sum());
                default -> assertThat(actors.sendMessage(new Add(3))).isTrue();
            }
            if (row.state()) {
                var stateful = (StatefulKeyedActors<String, Sum, Add, ?>) actors;
                assertThat(stateful.execWithState("key", sum -> sum.value += GUEST)).isTrue();
                Future<Integer> sum = stateful.execFutureWithState("key", state -> state.value);
                assertThat(Waits.on(sum).intValue()).isEqualTo(5 + GUEST);
            } else {
                var actor = actors.find("key").orElseThrow();
                assertThat(Waits.on(actor.execFuture(() -> shared.value)).intValue()).isEqualTo(6);
            }
            expectFates(first, failing);
            if (row.has(Setting.URGENT)) {
                assertThat(actors.sendUrgent(new Add(0))).isTrue();
            }
        }
    }

    @FunctionalInterface
    private interface Check {
        void on(Life life, ActorScope scope, ManualTime time) throws Exception;
    }

    private static void each(List<Combination> rows, Strategy strategy, Check check) {
        assertThat(rows).isNotEmpty();
        var time = new ManualTime();
        var wrong = new ArrayList<String>();
        try (var scope = Scopes.configure().strategy(strategy.create()).time(time).open()) {
            for (var row : rows) {
                var life = new Life(row);
                try {
                    check.on(life, scope, time);
                } catch (Throwable failure) {
                    wrong.add(row + ": " + failure + "; trace: " + life.trace);
                }
            }
        }
        assertThat(wrong).as(wrong.size() + " of " + rows.size() + " rows").isEmpty();
    }

    @Promise({"33.2", "33.4", "33.8", "33.9", "35.1", "36.1", "36.8", "87.1"})
    @EveryStrategy
    void eachActorThatIsMadeKeepsItsPromises(Strategy strategy) {
        each(Combination.rows(strategy, false), strategy, Life::expectLife);
    }

    @Promise("33.8")
    @EveryStrategy
    void eachOtherOneIsRefusedWithTheReason(Strategy strategy) {
        each(Combination.rows(strategy, true), strategy, (life, scope, time) -> life.expectRefusal(scope));
    }
}
