package io.fibry.patterns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.dump.HandlerTotals;
import io.fibry.dump.ScopeDump;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
import io.fibry.files.DirectoryWatch;
import io.fibry.files.DirectoryWatchOptions;
import io.fibry.flow.FlowOptions;
import io.fibry.flow.Flows;
import io.fibry.flow.Generator;
import io.fibry.flow.StageOptions;
import io.fibry.fsm.StateMachine;
import io.fibry.fsm.TransitionTable;
import io.fibry.message.Envelope;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Waits;
import io.fibry.topic.ObservableValue;
import io.fibry.topic.SubscriberOptions;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import io.fibry.work.BreakerOptions;
import io.fibry.work.BreakerWindow;
import io.fibry.work.CircuitBreaker;
import io.fibry.work.Hedge;
import io.fibry.work.HedgeOptions;
import io.fibry.work.RateLimiter;
import io.fibry.work.RateLimiterOptions;
import io.fibry.work.Retry;
import io.fibry.work.RetryOptions;
import io.fibry.work.Transactions;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What reports and exceptions say about the actors of patterns: nothing that only the authors of the library understand. */
@Tag("once")
class PatternReportsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration SOON = Duration.ofMillis(1);
    /** A class that is not a part of a stack trace. */
    private static final Pattern CLASS = Pattern.compile("io\\.fibry\\.[a-z.]*[A-Z][\\w$]*+(?!\\.\\w+\\()");

    private final Recorder recorder = new Recorder();
    private final ActorScope scope =
            ActorSystem.configure("shop").listener(recorder).closeTimeout(SECOND).open();
    private final CountDownLatch never = new CountDownLatch(1);
    private final List<String> wrong = new ArrayList<>();
    private final List<Throwable> thrown = new ArrayList<>();

    @AfterEach
    void close() {
        scope.stop(SOON);
    }

    private ActorScope inner(String name) {
        return scope.child(name).open();
    }

    private void waitForEver() throws InterruptedException {
        never.await();
    }

    /** Calls what has to fail and keeps the exception. */
    private void failing(String what, Callable<?> call) {
        try {
            var result = call.call();
            if (result instanceof CompletableFuture<?> future) {
                thrown.add(Waits.failure(future));
            } else {
                wrong.add(what + " returned " + result);
            }
        } catch (Throwable failure) {
            thrown.add(failure);
        }
    }

    private void check(String where, @Nullable String text) {
        var found = CLASS.matcher(text == null ? "" : text);
        while (found.find()) {
            if (!isKnown(found.group())) {
                wrong.add(found.group() + " in " + where + ": " + text);
            }
        }
    }

    private static boolean isKnown(String name) {
        if (name.startsWith(PatternReportsTest.class.getName())) {
            return true;
        }
        try {
            for (Class<?> type = Class.forName(name, false,
                    PatternReportsTest.class.getClassLoader()); type != null; type =
                            type.getEnclosingClass()) {
                if (!Modifier.isPublic(type.getModifiers()) || type.getName().contains(".internal.")) {
                    return false;
                }
            }
            return true;
        } catch (ClassNotFoundException none) {
            return false; // a lambda
        }
    }

    private static String classOf(Object message) {
        return (message instanceof Envelope envelope ? envelope.content() : message).getClass().getName();
    }

    private void checkAll() {
        for (var event : recorder.events()) {
            check("an event", event.toString());
        }
        for (var lost : recorder.of(Undelivered.class)) {
            check("a lost message of " + lost.actor(), classOf(lost.message()));
        }
        for (var failed : recorder.of(Failed.class)) {
            check("a failure of " + failed.actor(), failed.message().map(Class::getName).orElse(""));
        }
        for (var failure : thrown) {
            for (var cause = failure; cause != null; cause = cause.getCause()) {
                check("an exception", cause.getMessage());
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void noReportOfWhatHasStoppedNamesAClassThatProgramsDoNotKnow() throws Exception {
        var closed = inner("closed");
        var machine = StateMachine.open(closed, "door", door());
        var value = ObservableValue.open(closed, "level", 1);
        var generator = Generator.<Integer>open(closed, "numbers", FlowOptions.capacity(1), out -> {
            for (int i = 0;; i++) {
                out.yield(i);
            }
        });
        closed.close();
        failing("awaitState", () -> machine.awaitState(Door.SHUT));
        failing("process", () -> machine.process(Push.PUSH));
        failing("set", () -> value.set(2));
        failing("when", () -> value.when(n -> n == 3));
        failing("next", () -> {
            while (true) {
                generator.next();
            }
        });
        assertThat(recorder.of(Undelivered.class)).extracting(lost -> classOf(lost.message()))
                .as("what is lost: an event").containsExactly(Push.class.getName());
        checkAll();
    }

    public enum Door {
        OPEN, SHUT
    }

    public enum Push {
        PUSH
    }

    private static TransitionTable<Door, Push, Object> door() {
        return TransitionTable.of(Door.class, Push.class)
                .state(Door.OPEN, rows -> rows.on(Push.PUSH).goTo(Door.SHUT))
                .state(Door.SHUT, rows -> rows.after(SOON).run((step, after) -> {
                    throw new IllegalStateException("as wanted");
                }).goTo(Door.OPEN)).build(Door.OPEN);
    }

    @Test
    void noReportOfAFailureNamesAClassThatProgramsDoNotKnow(@TempDir Path directory) throws Exception {
        StateMachine.open(scope, "door", door()).send(Push.PUSH);
        Flows.pipeline(scope, "numbers", List.of(1)).then(n -> {
            throw new IllegalStateException("as wanted");
        }, StageOptions.usual().withOnFailure(StageOptions.OnFailure.DROP)).toList();
        Flows.publisher(scope, "values", FlowOptions.usual(), List.of(1)).subscribe(new Refusing());
        var stock = Transactions.<ArrayList<String>, String>open(scope.named("stock"), ArrayList::new,
                ArrayList::new, (state, item) -> {
                    throw new IllegalStateException("as wanted");
                });
        stock.send("tea");
        failing("a group", () -> stock.sendAll(List.of("tea", "milk")));
        DirectoryWatch.open(scope, "inbox",
                DirectoryWatchOptions.of(directory).withQuiet(SOON).withExisting(true), changes -> {
                    throw new IllegalStateException("as wanted");
                });
        Files.writeString(directory.resolve("new"), "x");
        var topic = Topic.<String>open(scope, "news", TopicOptions.defaults().keepingLast());
        topic.publish("old");
        topic.subscribe(SubscriberOptions.named("reader").withLast(), message -> {
            throw new IllegalStateException("as wanted");
        });
        topic.publishAndWait("new");
        Waits.until("all have failed", () -> failedActors().containsAll(List.of("door",
                "source", "stock", "inbox")));
        checkAll();
        assertThat(recorder.of(Failed.class)).filteredOn(failed -> failed.actor().startsWith("anonymous"))
                .as("a failure of an actor without a name names its object")
                .allSatisfy(failed -> assertThat(failed.about()).isPresent());
    }

    private List<String> failedActors() {
        return recorder.of(Failed.class).stream().map(Failed::actor).toList();
    }

    private static final class Refusing implements Flow.Subscriber<Integer> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(9);
        }

        @Override
        public void onNext(Integer value) {
            throw new IllegalStateException("as wanted");
        }

        @Override
        public void onError(Throwable failure) {
        }

        @Override
        public void onComplete() {
        }
    }

    @Test
    void noReportOfAStopInTheMiddleNamesAClassThatProgramsDoNotKnow() throws Exception {
        var ending = inner("ending");
        var begun = new CountDownLatch(3);
        var topic = Topic.<String>open(ending, "news",
                TopicOptions.defaults().keepingLast());
        topic.subscribe(message -> {
            begun.countDown();
            waitForEver();
        });
        topic.publish("a");
        topic.publish("b");
        failing("a pipeline", () -> {
            var run = Flows.pipeline(ending, "numbers", List.of(1, 2)).then(n -> {
                begun.countDown();
                waitForEver();
                return n;
            }).toList();
            var pool = WorkerPool.<String, Integer>openWithReturn(ending, "pool", PoolOptions.fixed(1, 3),
                    text -> {
                        begun.countDown();
                        waitForEver();
                        return 1;
                    });
            pool.sendMessageReturn("a");
            var second = pool.sendMessageReturn("b");
            Waits.on(begun);
            ending.stop(Duration.ofMillis(20));
            failing("an ask", () -> second);
            return run.result();
        });
        assertThat(recorder.of(Undelivered.class)).extracting(lost -> classOf(lost.message()))
                .contains(String.class.getName());
        checkAll();
    }

    @Promise("46.6")
    @Test
    void aPolicyIsNotOpenedInAScopeThatIsClosed() {
        var closed = inner("closed");
        closed.close();
        assertThatThrownBy(
                () -> Retry.open(closed, "again", RetryOptions.of(1, Duration.ofMillis(1), SECOND)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "retry 'again' cannot be opened, since scope 'closed' is closed; use a scope that is open");
        assertThatThrownBy(() -> CircuitBreaker.open(closed, "fuse",
                BreakerOptions.of(BreakerWindow.lastCalls(1), SECOND)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("breaker 'fuse'", "'closed'", "a scope that is open");
        assertThatThrownBy(() -> RateLimiter.open(closed, "rate",
                RateLimiterOptions.of(1, SECOND, 1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("limiter 'rate'", "'closed'", "a scope that is open");
        assertThatThrownBy(() -> Hedge.open(closed, "hedge", HedgeOptions.after(SECOND)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("hedge 'hedge'", "'closed'", "a scope that is open");
        assertThatThrownBy(() -> Topic.open(closed, "news", TopicOptions.defaults()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("'closed'", "'news'", "a scope that is open");
    }

    @Promise("46.6")
    @Test
    void aPolicyIsOpenedByAHandlerWhileItsScopeIsBeingClosed() throws Exception {
        var closing = inner("closing");
        var begun = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        var opened = closing.named("late").newActorWithReturn((Integer n) -> {
            begun.countDown();
            go.await();
            return Retry.open(closing, "again", RetryOptions.of(2, SOON, SOON)).toString();
        }).sendMessageReturn(1);
        Waits.on(begun);
        var closer = Thread.ofPlatform().start(closing::close);
        Waits.until("it is being closed", closing::isClosing);
        go.countDown();
        assertThat(Waits.on(opened)).contains("again");
        Waits.on(closer);
    }

    @Promise("46.6")
    @Test
    void aCallThatIsNotTriedAgainKeepsWhatItHasFailedWith() throws Exception {
        var ending = inner("ending");
        var retry = Retry.open(ending, "again", RetryOptions.of(2, Duration.ofHours(1), Duration.ofHours(1)));
        var first = new IllegalStateException("first");
        var result = retry.start(() -> CompletableFuture.<Integer>failedFuture(first));
        ending.close();
        assertThat(Waits.failure(result)).hasMessageContainingAll("'again'", "'ending'")
                .hasSuppressedException(first);
    }

    /** Otherwise all subscribers of all topics look alike in dumps, meters and on the live page. */
    @Test
    void dumpsShowTheHandlersOfTheUser() throws Exception {
        var mine = PatternReportsTest.class.getName() + "$$Lambda";
        try (var shown = ActorSystem.open("shown")) {
            Topic.<Integer>open(shown, "numbers", TopicOptions.defaults()).subscribe(number -> {
            });
            var level = ObservableValue.open(shown, "level", 1);
            level.subscribe(number -> {
            });
            var begun = new CountDownLatch(1);
            var goesOn = new CountDownLatch(1);
            var run = Flows.pipeline(shown, "pipeline", List.of(1)).then(number -> {
                begun.countDown();
                goesOn.await();
                return number;
            }).toList();
            Waits.on(begun);
            var handlers = handlers(shown.dump().scope());
            goesOn.countDown();
            Waits.on(run.result());
            assertThat(handlers).filteredOn(name -> name.equals(mine)).as("%s", handlers)
                    .hasSizeGreaterThan(2);
        }
    }

    private static List<String> handlers(ScopeDump scope) {
        var all = new ArrayList<>(scope.handlers().stream().map(HandlerTotals::handler).toList());
        scope.scopes().forEach(inner -> all.addAll(handlers(inner)));
        return all;
    }
}
