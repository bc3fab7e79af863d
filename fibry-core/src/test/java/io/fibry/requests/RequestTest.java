package io.fibry.requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.Lifetime;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.function.ReplyHandler;
import io.fibry.requests.Text.Length;
import io.fibry.requests.Text.Note;
import io.fibry.requests.Text.Upper;
import io.fibry.requests.Text.Wrong;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RequestTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Recorder events = new Recorder();

    /** A protocol with messages that are no requests. */
    private sealed interface Purse {
        record Put(long cents) implements Purse {
        }

        record Balance() implements Purse, Request<Long> {
        }
    }

    /** Claims a protocol of which it is no message. */
    private record Rogue() implements Request<Integer> {
    }

    private static Actor<Text<?>, Reply> texts(ActorBuilder builder) {
        return builder.newActorWithReturn((Text<?> request) -> Text.handle(request));
    }

    /** Actors that are made in each way in which an actor may answer. */
    private static Map<String, Actor<Text<?>, Reply>> allForms(ActorScope scope, Strategy strategy) {
        var all = new LinkedHashMap<String, Actor<Text<?>, Reply>>();
        var builder = scope.anonymous();
        all.put("plain", texts(builder));
        all.put("named", texts(scope.named("texts")));
        all.put("context", builder.newActorWithReturn(
                (ActorContext<Text<?>, Reply> context, Text<?> request) -> Text.handle(request)));
        all.put("state", builder.state(AtomicInteger::new)
                .newActorWithReturn((AtomicInteger count, Text<?> request) -> {
                    count.incrementAndGet();
                    return Text.handle(request);
                }));
        all.put("factory", builder.newActorWithReturnFrom(
                (ActorContext<Text<?>, Reply> context) -> request -> Text.handle(request)));
        all.put("supplier", builder.<Text<?>, Reply>newActorWithReturnFrom(() -> Text::handle));
        all.put("run by callers", texts(builder.runByCallers()));
        all.put("interrupted on cancel", texts(builder.interruptOnCancel()));
        all.put("bounded", texts(builder.mailbox(MailboxPolicy.bounded(4, OverflowPolicy.block()))));
        all.put("stops when idle", texts(builder.stopWhenIdle(LONG)));
        ReplyHandler<Text<?>, Reply> handler = Text::handle;
        all.put("workers", Stereotypes.with(builder).workersWithReturn(handler));
        if (List.of(Strategy.FIBERS, Strategy.THREADS, Strategy.POOL).contains(strategy)) {
            all.put("abandons", texts(builder.abandonStuck(LONG, LONG)));
        }
        if (strategy != Strategy.CALLER) {
            all.put("own stack", texts(builder.ownStack()));
        }
        return all;
    }

    @Promise({"30.1", "30.3"})
    @EveryStrategy
    void eachRequestHasAnAnswerOfItsType(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (var form : allForms(scope, strategy).entrySet()) {
                var texts = form.getValue();
                CompletableFuture<Integer> length = texts.request(new Length("four"));
                CompletableFuture<String> upper = texts.request(new Upper("loud"), LONG);
                assertThat(Waits.on(length)).as(form.getKey()).isEqualTo(4);
                assertThat(Waits.on(upper)).as(form.getKey()).isEqualTo("LOUD");
                int waited = texts.requestWait(new Length("five5"));
                String inTime = texts.requestWait(new Upper("up"), LONG);
                assertThat(waited).as(form.getKey()).isEqualTo(5);
                assertThat(inTime).as(form.getKey()).isEqualTo("UP");
                assertThat(texts.requestWait(new Note(new AtomicInteger()))).as(form.getKey()).isNull();
            }
            assertThat(events.of(Failed.class)).isEmpty();
        }
    }

    @Promise("30.1")
    @EveryStrategy
    void insideAnActorToo(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            for (var form : allForms(scope, strategy).entrySet()) {
                var texts = form.getValue();
                var asker = scope.anonymous()
                        .newActorWithReturn((String text) -> texts.requestWait(new Length(text))
                                + texts.request(new Upper(text)).get()
                                + texts.requestWait(new Length(text + text), LONG));
                assertThat(Waits.on(asker.sendMessageReturn("ab"))).as(form.getKey()).isEqualTo("2AB4");
                assertThat(Waits.on(asker.ask("ab", LONG))).as(form.getKey()).isEqualTo("2AB4");
            }
        }
    }

    @Promise("30.1")
    @EveryStrategy
    void aHandlerThatReturnsNoReplyToTheRequestHasFailed(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var failures = 0;
            for (var form : allForms(scope, strategy).entrySet()) {
                for (var kind : Wrong.Kind.values()) {
                    var texts = form.getValue();
                    var failure = Waits.failure(texts.request(Wrong.of(kind)));
                    assertThat(failure).as(form.getKey()).isInstanceOf(IllegalStateException.class)
                            .hasMessageContainingAll("Text$Wrong", "actor '", "' of scope '", switch (kind) {
                                case OTHER ->
                                    "the reply to another request, of io.fibry.requests.Text$Length";
                                case EQUAL -> "the reply to another request, of io.fibry.requests.Text$Wrong";
                                case NONE -> "Reply.none()";
                                case NULL -> "no Reply but null";
                            });
                    assertThat(Waits.failure(texts.request(Wrong.of(kind), LONG)))
                            .isInstanceOf(IllegalStateException.class);
                    assertThatThrownBy(() -> texts.requestWait(Wrong.of(kind)))
                            .isInstanceOf(ExecutionException.class)
                            .hasCauseInstanceOf(IllegalStateException.class);
                    failures += 3;
                }
            }
            assertThat(events.await(Failed.class, failures)).hasSize(failures)
                    .allSatisfy(failed -> assertThat(failed.message()).contains(Wrong.class));
            var other = scope.named("other").newActorWithReturn((Text<?> request) -> 1);
            assertThat(Waits.failure(other.request(new Length("a"))))
                    .hasMessageContaining("an object of java.lang.Integer");
        }
    }

    @Promise("30.1")
    @EveryStrategy
    void thePolicyDecidesThen(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var made = new AtomicInteger();
            var restarting = scope.anonymous().onFailure(FailurePolicy.restart())
                    .state(() -> made.incrementAndGet())
                    .newActorWithReturn((Integer state, Text<?> request) -> Text.handle(request));
            assertThat(Waits.failure(restarting.request(Wrong.of(Wrong.Kind.NULL))))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(Waits.on(restarting.request(new Length("a")))).isEqualTo(1);
            events.await(Restarted.class);
            assertThat(made).hasValue(2);
            var stopping = texts(scope.anonymous().onFailure(FailurePolicy.stop()));
            assertThat(Waits.failure(stopping.request(Wrong.of(Wrong.Kind.NONE))))
                    .isInstanceOf(IllegalStateException.class);
            Waits.stopped(stopping);
            assertThat(stopping.counters().failed()).isEqualTo(1);
            assertThat(Waits.failure(stopping.request(new Length("a"))))
                    .isInstanceOf(ActorStoppedException.class);
        }
    }

    @Promise("30.1")
    @EveryStrategy
    void anActorThatGivesNoAnswersFailsRequests(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var told = scope.named("told").newActor((Text<?> request) -> {
            });
            assertThat(Waits.failure(told.request(new Length("a")))).isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("'told'", "newActorWithReturn");
        }
    }

    @Promise("30.1")
    @EveryStrategy
    void aReceivingActorHasNoReply(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            Actor<Text<?>, Void> body = scope.named("receiving").newReceivingActor(inbox -> {
                inbox.receive();
                inbox.receive();
                inbox.receive();
            });
            var first = body.request(new Length("a"));
            var second = body.request(new Length("b"), LONG);
            var told = body.sendMessage(new Length("c"));
            for (var ask : List.of(first, second)) {
                assertThat(Waits.failure(ask)).isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("'receiving'", "gives no reply");
            }
            assertThat(told).isTrue();
            Waits.stopped(body);
            assertThat(body.counters().failed()).isEqualTo(2);
        }
    }

    @Promise("30.3")
    @EveryStrategy
    void whatHoldsForAsksHoldsForRequests(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var texts = texts(scope.named("texts"));
            var failure = Waits.failure(texts.request(new Upper("")));
            assertThat(failure).isInstanceOf(IllegalArgumentException.class).hasMessage("no text");
            assertThat(events.only(Failed.class).cause()).isSameAs(failure);
            var notes = new AtomicInteger();
            try (var gate = Gate.in(texts)) {
                var late = texts.request(new Note(notes), Duration.ofSeconds(3));
                var cancelled = texts.request(new Note(notes));
                cancelled.cancel(true);
                time.advance(Duration.ofSeconds(3));
                assertThat(Waits.failure(late)).isInstanceOf(AskTimeoutException.class)
                        .hasMessageContainingAll("'texts'", "Text$Note");
                gate.open();
            }
            assertThat(texts.requestWait(new Length("a"))).isEqualTo(1);
            assertThat(notes).hasValue(0);
            assertThat(texts.counters().expired()).isEqualTo(2);
            try (var gate = Gate.in(texts)) {
                var queued = texts.request(new Note(notes));
                texts.askExit();
                gate.open();
                assertThat(Waits.failure(queued)).isInstanceOf(ActorStoppedException.class)
                        .hasMessageContainingAll("'texts'", "Text$Note");
            }
            assertThat(notes).hasValue(0);
        }
    }

    @Promise("30.3")
    @EveryStrategy
    void aFullMailboxACycleAndAnInterruptAreNotedAsForAnyAsk(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var full = texts(scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject())));
            try (var gate = Gate.in(full)) {
                var first = full.request(new Length("a"));
                assertThat(Waits.failure(full.request(new Length("b"))))
                        .isInstanceOf(MailboxFullException.class);
                gate.open();
                assertThat(Waits.on(first)).isEqualTo(1);
            }
            Actor<Text<?>, Reply> self = scope.named("self").newActorWithReturn(
                    (ActorContext<Text<?>, Reply> context, Text<?> request) -> {
                        var length = (Length) request;
                        return length.reply(context.self().requestWait(new Length("inner")));
                    });
            assertThat(Waits.failure(self.request(new Length("a")))).isInstanceOf(AskCycleException.class)
                    .hasMessageContaining("'self'");
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> full.requestWait(new Length("a")))
                    .isInstanceOf(InterruptedException.class)
                    .hasMessageContaining("nothing was sent");
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> full.requestWait(new Length("a"), LONG))
                    .isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    @Promise("30.3")
    @EveryStrategy
    void theTimeOfARequestIsTheTimeOfWhatItsHandlerAsks(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, events, time)) {
            var left = new CompletableFuture<Duration>();
            var inner = scope.anonymous().newActorWithReturn(
                    (ActorContext<Text<?>, Reply> context, Text<?> request) -> {
                        left.complete(context.timeLeft().orElseThrow());
                        return Text.handle(request);
                    });
            var outer = scope.anonymous().newActorWithReturn((Text<?> request) -> {
                var length = (Length) request;
                return length.reply(inner.requestWait(length));
            });
            assertThat(Waits.on(outer.request(new Length("abc"), LONG))).isEqualTo(3);
            assertThat(Waits.on(left)).isEqualTo(LONG);
        }
    }

    @Promise("30.3")
    @EveryStrategy
    void aCancelledRequestInterruptsItsHandlerIfThatIsWanted(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var begun = new CountDownLatch(1);
            var interrupted = new CountDownLatch(1);
            var texts = scope.anonymous().interruptOnCancel().newActorWithReturn((Text<?> request) -> {
                Waits.untilInterrupted(begun, interrupted);
                return Reply.none();
            });
            var asked = new AtomicReference<CompletableFuture<Integer>>();
            if (strategy.isAsync()) {
                asked.set(texts.request(new Length("a")));
                Waits.on(begun);
                asked.get().cancel(true);
                Waits.on(interrupted);
                Waits.until("it counts as expired", () -> texts.counters().expired() == 1);
                assertThat(events.of(Failed.class)).isEmpty();
            }
        }
    }

    @Promise("30.3")
    @EveryStrategy
    void keyedActorsGroupsAndNamesTakeRequests(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var keyed = scope.anonymous().<Class<?>, Text<?>>keyed(Request::getClass).idle(LONG)
                    .<Reply>newActorsWithReturnFrom(key -> (context, request) -> Text.handle(request));
            int length = Waits.on(keyed.request(new Length("four")));
            String upper = keyed.requestWait(new Upper("up"));
            assertThat(length + upper).isEqualTo("4UP");
            assertThat(keyed.requestWait(new Length("a"), LONG)).isEqualTo(1);
            assertThat(Waits.on(keyed.request(new Upper("b"), LONG))).isEqualTo("B");
            assertThat(Waits.failure(keyed.request(Wrong.of(Wrong.Kind.OTHER))))
                    .isInstanceOf(IllegalStateException.class);
            keyed.stop(LONG);
            assertThat(Waits.failure(keyed.request(new Length("a"))))
                    .isInstanceOf(ActorStoppedException.class);

            var group = scope.named("group").newGroup(GroupPolicy.oneForOne());
            group.add("member", Lifetime.PERMANENT, builder -> texts(builder));
            var member = scope.<Text<?>, Reply>find(ActorName.of("member")).orElseThrow();
            assertThat(Waits.failure(member.request(Wrong.of(Wrong.Kind.NULL))))
                    .isInstanceOf(IllegalStateException.class);
            Waits.stopped(member);
            Waits.until("a successor",
                    () -> scope.<Text<?>, Reply>find(ActorName.of("member")).filter(next -> next != member)
                            .isPresent());
            assertThat(scope.<Text<?>, Reply>find(ActorName.of("member")).orElseThrow()
                    .requestWait(new Length("abc")))
                    .isEqualTo(3);
            group.close();
        }
    }

    @Promise("30.3")
    @EveryStrategy
    void aRequestMayBeTold(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var notes = new AtomicInteger();
            scope.sendOrKeep(ActorName.of("texts"), new Note(notes), 1);
            var texts = texts(scope.named("texts"));
            assertThat(texts.sendMessage(new Note(notes))).isTrue();
            texts.accept(Wrong.of(Wrong.Kind.NULL)); // nothing was asked, so nothing is missing
            var reply = Waits.on(texts.sendMessageReturn(new Length("four")));
            assertThat(reply.value()).isEqualTo(4);
            assertThat(reply.request()).contains(new Length("four"));
            assertThat(notes).hasValue(2);
            assertThat(events.of(Failed.class)).isEmpty();
        }
    }

    @Promise({"30.1", "30.3"})
    @EveryStrategy
    void aProtocolMayHaveMessagesThatAreNoRequests(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var purse = scope.anonymous().state(() -> new long[1])
                    .newActorWithReturn((long[] cents, Purse message) -> switch (message) {
                        case Purse.Put put -> {
                            cents[0] += put.cents();
                            yield Reply.none();
                        }
                        case Purse.Balance balance -> balance.reply(cents[0]);
                    });
            purse.sendMessage(new Purse.Put(5));
            purse.sendMessage(new Purse.Put(7));
            assertThat(purse.requestWait(new Purse.Balance())).isEqualTo(12L);
            assertThat(purse.apply(new Purse.Put(1))).isSameAs(Reply.none());
        }
    }

    @Promise("28.5")
    @EveryStrategy
    void aRequestThatIsNoMessageOfTheActorFailsAndNamesTheActor(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var texts = texts(scope.named("texts"));
            assertThat(Waits.failure(texts.request(new Rogue()))).isInstanceOf(ClassCastException.class)
                    .hasMessageContainingAll("'texts'", "Rogue", "one of the messages of the actor");
        }
    }

    @Test
    void repliesShowWhatTheyAreTo() {
        var length = new Length("abc");
        assertThat(length.reply(3)).hasToString("Reply[3, to Length[text=abc]]");
        assertThat(Reply.none()).hasToString("Reply[none]");
        assertThat(Reply.none().request()).isEmpty();
        assertThat(Reply.none().value()).isNull();
        assertThat(Text.handle(length)).extracting(Reply::value).isEqualTo(3);
    }
}
