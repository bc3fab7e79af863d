package io.fibry.fsm;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.HandlerAbandonedException;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Machines whose handlers are abandoned or fail, and what surrounds them. */
class MachineFaultsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LIMIT = Duration.ofMillis(20);

    private enum At {
        A, B, C
    }

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();
    private final List<String> log = new CopyOnWriteArrayList<>();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, time);
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException ignored) {
                continue; // as a handler that does not react
            }
        }
    }

    @Promise("45.2")
    @EveryStrategy
    void aStepIsMadeAlsoIfALimitRefusesWhatItRaises(Strategy strategy) throws Exception {
        enum Light {
            OFF, ON
        }
        try (var scope = Scopes.configure().strategy(strategy.create()).listener(recorder)
                .limits(ScopeLimits.none().waiting(1).overflow(OverflowPolicy.fail())).open()) {
            var busy = scope.anonymous().strategy(CreationStrategy.fibers()).newActor(
                    (CountDownLatch[] gates) -> {
                        gates[0].countDown();
                        gates[1].await();
                    });
            var begun = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var gates = new CountDownLatch[]{begun, go};
            busy.sendMessage(gates);
            Waits.on(begun);
            var table = TransitionTable.<Light, String, Object>of(Light.class, String.class, Object::new)
                    .state(Light.OFF, off -> off.on("press").run((step, event) -> {
                        busy.sendMessage(gates); // takes the only place
                        step.raise("more");
                    }).goTo(Light.ON)).state(Light.ON, on -> on.on("more").ignore()).build(Light.OFF);
            try {
                var machine = StateMachine.open(scope, "machine", table);
                machine.listen(event -> log.add(event.getClass().getSimpleName()));
                assertThat(Waits.on(machine.process("press"))).isEqualTo(Light.ON);
                assertThat(machine.state()).isEqualTo(Light.ON);
                assertThat(log).endsWith("Moved");
                assertThat(recorder.await(Undelivered.class, 1).getFirst().actor()).isEqualTo("machine");
            } finally {
                go.countDown();
            }
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Promise("45.8")
    @ParameterizedTest
    @EnumSource(names = {"THREADS", "FIBERS", "POOL"}) // the others cannot abandon a handler
    void aMachineThatHasAbandonedAHandlerBeginsAgain(Strategy strategy) throws Exception {
        var hangs = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        var table = TransitionTable.<At, String, Object>of(At.class, String.class, Object::new)
                .state(At.A, a -> a.on("to B").goTo(At.B).on("look").stay().on("later")
                        .run((step, later) -> log.add("later in " + step.state())).stay())
                .state(At.B, b -> b.after(SECOND).run((step, after) -> log.add("too late")).goTo(At.C)
                        .on("later").postpone().on("hang").run((step, hang) -> {
                            begun.countDown();
                            awaitUninterrupted(hangs);
                        }).stay())
                .state(At.C, c -> c.on("look").stay()).build(At.A);
        try (var scope = scope(strategy)) {
            var machine = StateMachine.open(scope, "machine", MachineOptions.standard()
                    .withActors(actor -> actor.abandonStuck(LIMIT, LIMIT)), table, Object::new);
            assertThat(Waits.on(machine.process("to B"))).isEqualTo(At.B);
            machine.send("later");
            var stuck = machine.process("hang");
            Waits.on(begun);
            try {
                Waits.until("the handler is abandoned", () -> {
                    time.advance(LIMIT);
                    return stuck.isDone();
                });
                assertThat(Waits.failure(stuck)).isInstanceOf(HandlerAbandonedException.class);
            } finally {
                hangs.countDown();
            }
            assertThat(Waits.on(machine.process("look"))).isEqualTo(At.A);
            time.advance(SECOND);
            assertThat(Waits.on(machine.process("look"))).isEqualTo(At.A);
            assertThat(log).containsExactly("later in A");
        }
    }

    @Promise("45.4")
    @EveryStrategy
    void whatWasRaisedBeforeARestartCountsAfterIt(Strategy strategy) throws Exception {
        var table = TransitionTable.<At, String, Object>of(At.class, String.class, Object::new)
                .state(At.A, a -> a.on("three").run((step, three) -> {
                    step.raise("fail");
                    step.raise("three more");
                    step.raise("rest");
                }).stay().on("fail").run((step, fail) -> {
                    throw new IllegalStateException("as wanted");
                }).stay().on("three more").run((step, more) -> {
                    step.raise("rest");
                    step.raise("rest");
                    step.raise("rest");
                }).stay().on("rest").run((step, rest) -> log.add("rest")).stay()
                        .on("end").goTo(At.B).on("never").goTo(At.C))
                .state(At.B, b -> b.on("end").ignore()).state(At.C, c -> c.on("end").ignore()).build(At.A);
        try (var scope = scope(strategy)) {
            var machine = StateMachine.open(scope, "machine", MachineOptions.standard().withRaised(3)
                    .withActors(actor -> actor.onFailure(FailurePolicy.restart())), table, Object::new);
            machine.send("three");
            assertThat(Waits.on(machine.process("end"))).isEqualTo(At.B);
            assertThat(log).containsExactly("rest");
            assertThat(recorder.of(Undelivered.class)).isEmpty();
            assertThat(recorder.await(Failed.class, 2)).last()
                    .satisfies(failed -> assertThat(failed.cause()).hasMessageContaining("raise"));
        }
    }

    @Promise("45.4")
    @EveryStrategy
    void aRaisedEventThatFailsOnItsWayDoesNotCountAnyMore(Strategy strategy) throws Exception {
        enum Only {
            A
        }
        var table = TransitionTable.<Only, String, Object>of(Only.class, String.class, Object::new)
                .state(Only.A, a -> a.on("raise").run((step, raise) -> {
                    step.raise("refused");
                    step.raise("heard");
                }).stay().on("raise one").run((step, raise) -> step.raise("refused")).stay().on("heard")
                        .run((step, heard) -> log.add("heard")).stay().on("refused").stay())
                .build(Only.A);
        try (var scope = scope(strategy)) {
            var machine = StateMachine.open(scope, "machine", MachineOptions.standard().withRaised(2)
                    .withActors(actor -> actor.around(handling -> {
                        if (handling.message().equals("refused")) {
                            throw new SecurityException("as wanted");
                        }
                        return handling.proceed();
                    })), table, Object::new);
            for (int i = 0; i < 3; i++) {
                assertThat(Waits.on(machine.process("raise"))).isEqualTo(Only.A);
            }
            for (int i = 0; i < 3; i++) {
                assertThat(Waits.on(machine.process("raise one"))).isEqualTo(Only.A);
            }
            Waits.until("all raised events are handled", () -> log.size() == 3);
        }
        assertThat(recorder.await(Failed.class, 6)).extracting(Failed::cause)
                .extracting(Throwable::getMessage)
                .containsOnly("as wanted");
    }

    @Promise({"45.3", "45.6"})
    @EveryStrategy
    void durationsWithoutEndMeanForEver(Strategy strategy) throws Exception {
        var forEver = Duration.ofSeconds(Long.MAX_VALUE);
        var table = TransitionTable.<At, String, Object>of(At.class, String.class, Object::new)
                .state(At.A, a -> a.after(forEver).goTo(At.C).on("to B").goTo(At.B))
                .state(At.B, b -> b.after((state, data) -> forEver).goTo(At.C).on("look").stay())
                .state(At.C, c -> c.on("look").ignore()).build(At.A);
        try (var scope = scope(strategy)) {
            var machine = StateMachine.open(scope, "machine", MachineOptions.standard(), table, Object::new);
            assertThat(Waits.on(machine.process("to B", forEver))).isEqualTo(At.B);
            time.advance(Duration.ofDays(100 * 365));
            assertThat(Waits.on(machine.process("look", forEver))).isEqualTo(At.B);
            assertThat(machine.stop(forEver).stopped()).isTrue();
            assertThat(time.pending()).isZero();
        }
    }

    @Promise("45.11")
    @Test
    void aListenerMayBeRegisteredTwice() throws Exception {
        var heard = new AtomicInteger();
        var table = TransitionTable.<At, String, Object>of(At.class, String.class, Object::new)
                .state(At.A, a -> a.on("b").goTo(At.B).on("c").goTo(At.C))
                .state(At.B, b -> b.on("b").ignore())
                .state(At.C, c -> c.on("b").ignore()).build(At.A);
        try (var scope = scope(Strategy.FIBERS)) {
            var machine = StateMachine.open(scope, "machine", MachineOptions.standard(), table, Object::new);
            Waits.on(machine.awaitState(At.A));
            Consumer<MachineEvent<At, String>> listener = event -> heard.incrementAndGet();
            var first = machine.listen(listener);
            machine.listen(listener);
            assertThat(first.cancel()).isTrue();
            assertThat(first.cancel()).isFalse();
            Waits.on(machine.process("b"));
            assertThat(heard).hasValue(1);
        }
    }

    private sealed interface Door {
        record Open() implements Door {
        }

        record Shut() implements Door {
        }
    }

    /** The check of the table, its diagram and the machine look a state up in one way. */
    @Promise({"45.1", "45.11"})
    @Test
    void theDescriptionOfAClassComesBeforeThatOfItsSupertype() throws Exception {
        var table = TransitionTable.<Door, String, Object>of(Door.class, String.class, Object::new)
                .state(Door.class, any -> any.on("shut").goTo(new Door.Shut()))
                .state(Door.Shut.class, shut -> shut.end()).build(new Door.Open());
        assertThat(table.toMermaid()).contains("[*] --> Door\n", "Door --> Shut : shut", "Shut --> [*]");
        try (var scope = scope(Strategy.FIBERS)) {
            var machine = StateMachine.open(scope, "door", MachineOptions.standard(), table, Object::new);
            assertThat(Waits.on(machine.process("shut"))).isEqualTo(new Door.Shut());
            Waits.on(machine.onStopped());
        }
    }
}
