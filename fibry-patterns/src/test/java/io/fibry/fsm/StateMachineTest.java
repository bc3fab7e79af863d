package io.fibry.fsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.FailurePolicy;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Request;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
import io.fibry.message.DeferredReply;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** State machines; the cases are those that a machine of this kind has to get right, whatever its library. */
class StateMachineTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private enum At {
        A, B, C
    }

    private sealed interface Event {
        record Go(At to) implements Event {
        }

        record Note(String text) implements Event {
        }

        record Ask(String text) implements Event, Request<String> {
        }
    }

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();
    private final List<String> log = new CopyOnWriteArrayList<>();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, time);
    }

    /** A machine whose states log their entry and exit, and go wherever they are told. */
    private TableBuilder<At, Event, List<String>> table(
            Consumer<StateRows<At, At, Event, List<String>>> inA) {
        return TransitionTable.<At, Event, List<String>>of(At.class, Event.class, ArrayList::new)
                .state(At.A, inA).state(At.B, b -> b.on(new Event.Note("never")).ignore())
                .state(At.C, c -> c.on(new Event.Note("never")).ignore())
                .everyState(every -> every.onEntry(step -> log.add("enter " + step.state()))
                        .onExit(step -> log.add("exit " + step.state()))
                        .on(new Event.Go(At.A)).goTo(At.A).on(new Event.Go(At.B)).goTo(At.B)
                        .on(new Event.Go(At.C)).run((step, go) -> log.add("to C")).goTo(At.C)
                        .on(Event.Note.class).run((step, note) -> log.add(step.state() + " " + note.text()))
                        .stay()
                        .on(Event.Ask.class).run((step, ask) -> step.answer(ask, step.state() + ask.text()))
                        .stay());
    }

    private StateMachine<At, Event, List<String>> open(ActorScope scope,
            TableBuilder<At, Event, List<String>> table) {
        return StateMachine.open(scope, "machine", table.build(At.A));
    }

    private static Event go(At to) {
        return new Event.Go(to);
    }

    private static Event note(String text) {
        return new Event.Note(text);
    }

    @Promise("45.2")
    @EveryStrategy
    void aStepLeavesActsAndEntersInThisOrder(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = open(scope, table(a -> {
            }));
            assertThat(Waits.on(machine.process(go(At.C)))).isEqualTo(At.C);
            assertThat(Waits.on(machine.process(note("x")))).isEqualTo(At.C);
            assertThat(Waits.on(machine.process(go(At.C)))).isEqualTo(At.C);
            assertThat(machine.state()).isEqualTo(At.C);
            assertThat(log).containsExactly("enter A", "exit A", "to C", "enter C", "C x", "exit C", "to C",
                    "enter C");
            assertThat(machine.counters().handled()).isEqualTo(3);
            assertThat(machine).hasToString("StateMachine[machine in C]");
        }
        assertThat(log).as("a stop leaves no state").hasSize(8);
    }

    @Promise("45.2")
    @EveryStrategy
    void theFirstRowWhoseGuardAllowsItIsTaken(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = open(scope, table(a -> a
                    .on(Event.Note.class).when((state, note, data) -> note.text().equals("b")).goTo(At.B)
                    .on(Event.Note.class).when((state, note, data) -> data.isEmpty())
                    .run((step, note) -> step.replaceData(List.of("full"))).stay()
                    .on(Event.Note.class).goTo(At.C)));
            assertThat(Waits.on(machine.process(note("x")))).isEqualTo(At.A);
            assertThat(Waits.on(machine.process(note("x")))).isEqualTo(At.C);
            machine.send(go(At.A));
            assertThat(Waits.on(machine.process(note("b")))).isEqualTo(At.B);
        }
    }

    private sealed interface Line {
        record Down() implements Line {
        }

        record Up(String peer, int tries) implements Line {
        }
    }

    @Promise("45.2")
    @EveryStrategy
    void statesThatCarryValues(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var table = TransitionTable.of(Line.class, String.class)
                    .state(Line.Down.class, down -> down.on(String.class).goTo(Line.Up.class,
                            (state, peer, data) -> new Line.Up(peer, 1)))
                    .state(Line.Up.class, up -> up.on("off").goTo(new Line.Down())
                            .on("wrong").goTo(Line.class, (state, text, data) -> new Line.Up("", -1))
                            .on(String.class).goTo(Line.Up.class,
                                    (state, peer, data) -> new Line.Up(peer, state.tries() + 1)))
                    .state(new Line.Up("", -1), wrong -> wrong.onEntry(step -> log.add("wrong")))
                    .build(new Line.Down());
            var machine = StateMachine.open(scope, "line", table);
            machine.send("ann");
            assertThat(Waits.on(machine.process("bob"))).isEqualTo(new Line.Up("bob", 2));
            assertThat(Waits.on(machine.process("off"))).isEqualTo(new Line.Down());
            machine.send("ann");
            machine.send("wrong");
            assertThat(Waits.on(machine.awaitState(new Line.Up("", -1)))).isEqualTo(machine.state());
            assertThat(log).containsExactly("wrong");
        }
    }

    @Promise("45.3")
    @EveryStrategy
    void aTimeOutComesInItsStateOnly(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = open(scope, table(a -> a.after(SECOND).goTo(At.B)
                    .after((state, data) -> SECOND.dividedBy(2)).run((step, after) -> log.add("half"))
                    .stay()));
            Waits.on(machine.process(note("x")));
            time.advance(SECOND.dividedBy(2));
            assertThat(Waits.on(machine.process(note("y")))).isEqualTo(At.A);
            time.advance(SECOND.dividedBy(2));
            assertThat(Waits.on(machine.process(note("z")))).isEqualTo(At.B);
            machine.send(go(At.A));
            Waits.on(machine.process(go(At.C)));
            assertThat(time.pending()).as("timers of a state without time-outs").isZero();
            time.advance(SECOND);
            assertThat(Waits.on(machine.process(note("end")))).isEqualTo(At.C);
            assertThat(log)
                    .containsSubsequence("A x", "half", "A y", "exit A", "enter B", "B z", "to C", "C end")
                    .containsOnlyOnce("half");
        }
    }

    @Promise("45.3")
    @EveryStrategy
    void aTimeOutBeginsAgainWhenItsStateIsEnteredAgain(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = open(scope, table(a -> a.after(SECOND).goTo(At.B)));
            Waits.on(machine.process(note("x")));
            for (int i = 0; i < 5; i++) {
                time.advance(SECOND.minusMillis(1));
                assertThat(Waits.on(machine.process(go(At.A)))).isEqualTo(At.A);
            }
            time.advance(SECOND);
            assertThat(Waits.on(machine.awaitState(At.B))).isEqualTo(At.B);
        }
    }

    /** The time is over while the machine handles the event that leaves the state. */
    @Promise("45.3")
    @EveryStrategy
    void aTimeOutThatIsInTheMailboxAlreadyIsCancelledToo(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = open(scope,
                    table(a -> a.after(SECOND).run((step, after) -> log.add("late")).goTo(At.B)
                            .on(new Event.Note("slow")).run((step, note) -> time.advance(SECOND))
                            .goTo(At.C)));
            assertThat(Waits.on(machine.process(note("slow")))).isEqualTo(At.C);
            assertThat(Waits.on(machine.process(note("end")))).isEqualTo(At.C);
            assertThat(log).doesNotContain("late");
        }
    }

    @Promise("45.4")
    @EveryStrategy
    void postponedEventsComeInOrderInTheNextState(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = open(scope, table(
                    a -> a.on(note("1")).postpone().on(note("2")).postpone().on(Event.Ask.class).postpone()));
            machine.send(note("1"));
            machine.send(note("now"));
            var second = machine.process(note("2"));
            var asked = machine.request(new Event.Ask("?"));
            assertThat(Waits.on(machine.process(note("now")))).isEqualTo(At.A);
            assertThat(second).isNotDone();
            machine.send(go(At.B));
            assertThat(Waits.on(second)).isEqualTo(At.B);
            assertThat(Waits.on(asked)).isEqualTo("B?");
            Waits.on(machine.process(note("end")));
            assertThat(log).containsExactly("enter A", "A now", "A now", "exit A", "enter B", "B 1", "B 2",
                    "B end");
        }
    }

    @Promise("45.4")
    @EveryStrategy
    void eventsThatArePostponedAgainKeepTheirOrder(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = StateMachine.open(scope, "machine",
                    TransitionTable.<At, Event, List<String>>of(At.class, Event.class, ArrayList::new)
                            .state(At.A, a -> a.on(Event.Note.class).postpone().on(Event.Go.class).goTo(At.B))
                            .state(At.B, b -> b.on(note("2")).goTo(At.C).on(Event.Note.class).postpone())
                            .state(At.C,
                                    c -> c.on(Event.class).run((step, event) -> log.add(event.toString()))
                                            .stay())
                            .build(At.A));
            for (var text : List.of("1", "2", "3", "4")) {
                machine.send(note(text));
            }
            machine.send(go(At.B));
            Waits.on(machine.process(note("5")));
            assertThat(log).containsExactly("Note[text=1]", "Note[text=3]", "Note[text=4]", "Note[text=5]");
        }
    }

    @Promise("45.4")
    @EveryStrategy
    void thePostponedAreBounded(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = StateMachine.open(scope, "machine", MachineOptions.standard().withPostponed(2),
                    table(a -> a.on(Event.Note.class).postpone()).build(At.A));
            machine.send(note("1"));
            machine.send(note("2"));
            assertThat(Waits.failure(machine.process(note("3")))).isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("machine 'machine'", "Note", "state A", "as may be, 2",
                            "withPostponed");
            Waits.on(machine.process(go(At.B)));
            Waits.on(machine.process(note("end")));
            assertThat(log).endsWith("B 1", "B 2", "B end");
            assertThat(machine.counters().failed()).isOne();
        }
    }

    @Promise("45.4")
    @EveryStrategy
    void oneEventTooManyIsRefusedByChoice(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = StateMachine.open(scope, "machine",
                    MachineOptions.standard().withPostponed(2).withOverflow(OverflowPolicy.reject())
                            .withActors(actor -> actor.onFailure(FailurePolicy.stop())),
                    table(a -> a.on(Event.Note.class).postpone().on(Event.Ask.class).postpone()).build(At.A));
            var events = new ConcurrentLinkedQueue<MachineEvent<At, Event>>();
            machine.listen(events::add);
            machine.send(note("1"));
            machine.send(note("2"));
            assertThat(Waits.failure(machine.process(note("3")))).isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("machine 'machine'", "Note", "state A", "as may be, 2",
                            "withOverflow");
            assertThat(Waits.failure(machine.request(new Event.Ask("?")))).hasMessageContaining("Ask");
            machine.send(note("4"));
            Waits.on(machine.process(go(At.B)));
            Waits.on(machine.process(note("end")));
            assertThat(log).endsWith("B 1", "B 2", "B end");
            assertThat(machine.counters().failed()).isZero();
            assertThat(events).contains(new MachineEvent.Dropped<>(At.A, note("3")),
                    new MachineEvent.Dropped<>(At.A, note("4")))
                    .doesNotContain(new MachineEvent.Postponed<>(At.A, note("3")));
            Waits.until("three reports", () -> recorder.of(Failed.class).size() == 3);
        }
    }

    @Promise("45.4")
    @EveryStrategy
    void theOldestPostponedEventIsDroppedByChoice(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = StateMachine.open(scope, "machine",
                    MachineOptions.standard().withPostponed(2)
                            .withOverflow(OverflowPolicy.dropOldest()),
                    table(a -> a.on(Event.Note.class).postpone()).build(At.A));
            var events = new ConcurrentLinkedQueue<MachineEvent<At, Event>>();
            machine.listen(events::add);
            machine.send(note("1"));
            var second = machine.process(note("2"));
            machine.send(note("3"));
            machine.send(note("4"));
            assertThat(Waits.failure(second)).isInstanceOf(MailboxFullException.class)
                    .hasMessageContainingAll("actor 'machine'", "Note", "put aside");
            Waits.on(machine.process(go(At.B)));
            Waits.on(machine.process(note("end")));
            assertThat(log).endsWith("enter B", "B 3", "B 4", "B end");
            assertThat(events).contains(new MachineEvent.Dropped<>(At.A, note("1")),
                    new MachineEvent.Dropped<>(At.A, note("2")),
                    new MachineEvent.Postponed<>(At.A, note("4")));
            assertThat(machine.counters().dropped()).isEqualTo(2);
            assertThat(machine.counters().failed()).isZero();
            assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::cause)
                    .containsExactly(Undelivered.Cause.DROPPED_OLDEST, Undelivered.Cause.DROPPED_OLDEST);
        }
    }

    @Promise("45.4")
    @EveryStrategy
    void whatIsPostponedAtTheEndIsUndelivered(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = open(scope, table(a -> a.on(Event.Note.class).postpone()));
            var kept = machine.process(note("1"));
            machine.stop(Duration.ofSeconds(5));
            assertThat(Waits.failure(kept)).isInstanceOf(ActorStoppedException.class);
            assertThat(machine.counters().undelivered()).isOne();
            assertThat(recorder.await(Undelivered.class).actor()).isEqualTo("machine");
        }
    }

    @Promise("45.4")
    @EveryStrategy
    void raisedEventsComeBeforeWhatWaitsAndWhatWasPostponed(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = open(scope, table(a -> a.on(note("postponed")).postpone()
                    .on(note("go")).run((step, note) -> {
                        step.raise(note("first"));
                        step.raise(note("second"));
                    }).goTo(At.B)));
            machine.send(note("postponed"));
            machine.send(note("go"));
            Waits.on(machine.process(note("end")));
            assertThat(log).containsExactly("enter A", "exit A", "enter B", "B first", "B second",
                    "B postponed",
                    "B end");
        }
    }

    @Promise("45.4")
    @EveryStrategy
    void anEntryActionMayRaiseAnEventAlsoTheFirstOne(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = open(scope, table(a -> a.onEntry(step -> step.raise(go(At.B)))));
            assertThat(Waits.on(machine.process(note("x")))).isEqualTo(At.B);
            assertThat(log).containsExactly("enter A", "exit A", "enter B", "B x");
        }
    }

    @Promise("45.4")
    @EveryStrategy
    void raisedEventsAreBounded(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = StateMachine.open(scope, "machine", MachineOptions.standard().withRaised(2),
                    table(a -> a.on(note("many")).run((step, note) -> {
                        for (int i = 0; i < 3; i++) {
                            step.raise(note("raised"));
                        }
                    }).goTo(At.B).on(note("two")).run((step, note) -> {
                        step.raise(note("two of one"));
                        step.raise(note("two of two"));
                    }).stay()).build(At.A));
            assertThat(Waits.failure(machine.process(note("many")))).hasMessageContaining("withRaised");
            for (int i = 0; i < 10; i++) {
                assertThat(Waits.on(machine.process(note("two")))).isEqualTo(At.A);
            }
            Waits.on(machine.process(note("end")));
            assertThat(log).doesNotContain("A raised").endsWith("A two of one", "A two of two", "A end")
                    .hasSize(23);
        }
    }

    @Promise("45.6")
    @EveryStrategy
    void aRequestIsAnsweredInItsStepOrLater(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var reply = new AtomicReference<DeferredReply<String>>();
            var machine = open(scope,
                    table(a -> a.on(Event.Ask.class).when((state, ask, data) -> ask.text().equals("later"))
                            .run((step, ask) -> reply.set(step.deferReply(ask))).stay()
                            .on(new Event.Ask("never")).stay().on(new Event.Ask("ignored")).ignore()
                            .on(note("reply")).run((step, note) -> reply.get().complete("late")).stay()));
            var later = machine.request(new Event.Ask("later"), SECOND);
            assertThat(Waits.on(machine.request(new Event.Ask("?")))).isEqualTo("A?");
            assertThat(later).isNotDone();
            machine.send(note("reply"));
            assertThat(Waits.on(later)).isEqualTo("late");
            assertThat(Waits.failure(machine.request(new Event.Ask("never")))).hasMessageContainingAll(
                    "without an answer",
                    "Ask");
            assertThat(Waits.failure(machine.request(new Event.Ask("ignored"))))
                    .hasMessageContaining("ignores");
            machine.send(new Event.Ask("told"));
            Waits.on(machine.process(note("end")));
            assertThat(machine.counters().failed()).isZero();
            assertThatThrownBy(() -> machine.process(new Event.Ask("x"))).hasMessageContaining("use request");
            assertThatThrownBy(() -> machine.request(new Request<Integer>() {
            })).hasMessageContaining("takes events of");
        }
    }

    @Promise("45.6")
    @EveryStrategy
    void aStepAnswersItsOwnRequestOnly(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var other = new Event.Ask("other");
            var kept = new AtomicReference<Step<?, ?, ?>>();
            var machine = open(scope, table(a -> a.on(Event.Ask.class).run((step, ask) -> {
                kept.set(step);
                step.answer(other, "x");
            }).stay()));
            assertThat(Waits.failure(machine.request(new Event.Ask("?"))))
                    .hasMessageContaining("only the event of this step");
            assertThatThrownBy(() -> kept.get().stop()).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is over");
        }
    }

    @Promise("45.6")
    @EveryStrategy
    void anEventWithoutATransition(Strategy strategy) throws Exception {
        for (var unhandled : Unhandled.values()) {
            try (var scope = scope(strategy)) {
                var heard = new CopyOnWriteArrayList<MachineEvent<?, ?>>();
                var machine = StateMachine.open(scope, "machine",
                        MachineOptions.standard().withUnhandled(unhandled),
                        TransitionTable.of(At.class, Event.class)
                                .state(At.A, a -> a.on(Event.Go.class).goTo(At.B))
                                .state(At.B,
                                        b -> b.on(Event.Note.class).goTo(At.C).on(new Event.Ask("")).stay())
                                .state(At.C, c -> {
                                }).build(At.A));
                machine.listen(heard::add);
                var state = machine.process(note("x"));
                var asked = machine.request(new Event.Ask("?"));
                assertThat(Waits.failure(asked)).isInstanceOf(UnhandledEventException.class)
                        .hasMessageContainingAll("machine 'machine'", "state A", "Ask");
                if (unhandled == Unhandled.IGNORE) {
                    assertThat(Waits.on(state)).isEqualTo(At.A);
                } else {
                    assertThat(Waits.failure(state)).hasMessageContainingAll("state A", "Note");
                    var count = unhandled == Unhandled.FAIL ? 2 : 4;
                    assertThat(recorder.await(Failed.class, count).getLast().cause())
                            .isInstanceOf(UnhandledEventException.class);
                }
                assertThat(machine.counters().failed()).isEqualTo(unhandled == Unhandled.FAIL ? 2 : 0);
                assertThat(heard).contains(new MachineEvent.NotHandled<>(At.A, note("x")));
                assertThat(heard).filteredOn(MachineEvent.NotHandled.class::isInstance).hasSize(2);
                assertThat(heard).as("one event is told once")
                        .noneMatch(MachineEvent.StepFailed.class::isInstance);
            }
        }
    }

    /** What a failed step has done so far does not count, whichever part of it has failed. */
    @Promise("45.8")
    @EveryStrategy
    void aStepThatFailsIsNotMade(Strategy strategy) throws Exception {
        var failExit = new AtomicBoolean();
        try (var scope = scope(strategy)) {
            var machine = open(scope,
                    TransitionTable.<At, Event, List<String>>of(At.class, Event.class, ArrayList::new)
                            .state(At.A, a -> a.onExit(step -> {
                                if (failExit.getAndSet(false)) {
                                    throw new IllegalStateException("exit");
                                }
                            }).after(SECOND).run((s, after) -> {
                                log.add("time");
                                s.replaceData(List.of("none"));
                            }).goTo(At.C)
                                    .on(note("guard")).when((s, e, data) -> {
                                        throw new IllegalStateException("guard");
                                    }).goTo(At.B)
                                    .on(note("maker")).goTo(At.class, (s, e, data) -> {
                                        throw new IllegalStateException("maker");
                                    })
                                    .on(Event.Note.class).run((step, note) -> {
                                        step.raise(note("raised"));
                                        step.replaceData(List.of(note.text()));
                                        fail(step, "action");
                                    }).goTo(At.B)
                                    .on(Event.Ask.class)
                                    .run((step, ask) -> step.answer(ask, step.data().toString())).stay()
                                    .on(go(At.A)).postpone())
                            .state(At.B, b -> b.onEntry(step -> fail(step, "entry")).on(Event.class).stay())
                            .state(At.C,
                                    c -> c.on(Event.Go.class).run((s, e) -> log.add("postponed")).stay()));
            Waits.on(machine.awaitState(At.A)); // it has begun
            machine.send(go(At.A));
            Waits.on(machine.request(new Event.Ask("")));
            var steps = new CopyOnWriteArrayList<MachineEvent<?, ?>>();
            machine.listen(steps::add);
            for (var part : List.of("guard", "maker", "exit", "action", "entry")) {
                failExit.set(part.equals("exit"));
                assertThat(Waits.failure(machine.process(note(part)))).hasMessage(part);
                assertThat(machine.state()).isEqualTo(At.A);
                assertThat(Waits.on(machine.request(new Event.Ask("")))).isEqualTo("[]");
                assertThat(steps.removeFirst()).isInstanceOf(MachineEvent.StepFailed.class);
                steps.clear();
            }
            assertThat(machine.counters().failed()).isEqualTo(5);
            assertThat(log).as("nothing was raised, and the postponed event waits").isEmpty();
            time.advance(SECOND);
            assertThat(Waits.on(machine.awaitState(At.C))).isEqualTo(At.C);
            Waits.on(machine.process(go(At.B)));
            assertThat(log).containsExactly("time", "postponed", "postponed");
        }
    }

    private static void fail(Step<At, Event, List<String>> step, String where) {
        if (step.data().contains(where)) {
            throw new IllegalStateException(where);
        }
    }

    @Promise("45.8")
    @EveryStrategy
    void aRestartBeginsAnewAndKeepsTheEvents(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = StateMachine.open(scope, "machine", MachineOptions.standard()
                    .withActors(actor -> actor.onFailure(FailurePolicy.restart(5, SECOND))),
                    TransitionTable.<At, Event, List<String>>of(At.class, Event.class, ArrayList::new)
                            .state(At.A, a -> a.on(Event.Go.class).run((step, go) -> step.data().add("old"))
                                    .goTo(At.B)
                                    .on(Event.Note.class).run((step, note) -> log.add("A " + note.text()))
                                    .stay()
                                    .on(Event.Ask.class)
                                    .run((step, ask) -> step.answer(ask, step.data().toString())).stay())
                            .state(At.B, b -> b.on(note("later")).postpone().after(SECOND).goTo(At.C)
                                    .on(note("fail")).run((step, note) -> {
                                        throw new IllegalStateException("as wanted");
                                    }).stay())
                            .state(At.C, c -> c.on(note("x")).ignore()).build(At.A));
            var steps = new CopyOnWriteArrayList<MachineEvent<?, ?>>();
            machine.listen(steps::add);
            machine.send(go(At.B));
            var later = machine.process(note("later"));
            machine.send(note("fail"));
            assertThat(Waits.on(later)).isEqualTo(At.A);
            assertThat(Waits.on(machine.request(new Event.Ask("")))).isEqualTo("[]");
            assertThat(machine.state()).isEqualTo(At.A);
            time.advance(SECOND);
            assertThat(Waits.on(machine.process(note("end")))).isEqualTo(At.A);
            assertThat(log).containsExactly("A later", "A end");
            assertThat(steps).contains(new MachineEvent.Begun<>(At.A));
        }
    }

    @Promise("45.8")
    @EveryStrategy
    void thePolicyToStopEndsTheMachine(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = StateMachine.open(scope, "machine",
                    MachineOptions.standard().withActors(actor -> actor.onFailure(FailurePolicy.stop())),
                    table(a -> a.on(note("fail")).run((step, note) -> {
                        throw new IllegalStateException("as wanted");
                    }).goTo(At.B)).build(At.A));
            var awaited = machine.awaitState(At.C);
            machine.send(note("fail"));
            assertThat(Waits.on(machine.onStopped()).stopped()).isTrue();
            assertThat(machine.state()).isEqualTo(At.A);
            assertThat(Waits.failure(awaited)).isInstanceOf(ActorStoppedException.class);
            assertThat(Waits.failure(machine.awaitState(At.A))).isInstanceOf(ActorStoppedException.class);
            assertThat(machine.send(note("x"))).isFalse();
        }
    }

    @Promise("45.8")
    @EveryStrategy
    void aStartThatFailsIsTriedAgain(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var fails = new AtomicBoolean(true);
            var machine = open(scope, table(a -> a.onEntry(step -> {
                if (fails.getAndSet(false)) {
                    throw new IllegalStateException("as wanted");
                }
            })));
            assertThat(Waits.on(machine.process(go(At.B)))).isEqualTo(At.B);
            assertThat(recorder.await(Failed.class).part()).isEqualTo(Failed.Part.START);
        }
    }

    @Promise("45.11")
    @EveryStrategy
    void aLastStateAndAnActionStopTheMachine(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            for (var first : List.of("last", "stop")) {
                var machine = StateMachine.open(scope, first, TransitionTable.of(At.class, Event.class)
                        .state(At.A, a -> a.on(note("last")).goTo(At.C)
                                .on(note("stop")).run((step, note) -> step.stop()).goTo(At.B)
                                .on(Event.class).run((step, event) -> log.add("no")).stay())
                        .state(At.B, b -> b.onEntry(step -> log.add("in B")))
                        .state(At.C, c -> c.onEntry(step -> log.add("in C")).end()).build(At.A));
                var end = machine.process(note(first));
                assertThat(Waits.on(end)).isEqualTo(first.equals("last") ? At.C : At.B);
                Waits.on(machine.onStopped());
                assertThat(machine.send(note("x"))).isFalse();
            }
            assertThat(log).containsExactly("in C", "in B");
        }
    }

    @Promise("45.11")
    @EveryStrategy
    void listenersHearTheStepsInOrder(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = open(scope, table(a -> a.after(SECOND).goTo(At.B).on(note("p")).postpone()));
            Waits.on(machine.awaitState(At.A)); // it has begun
            machine.listen(event -> {
                throw new IllegalStateException("of a listener");
            });
            var steps = new CopyOnWriteArrayList<MachineEvent<?, ?>>();
            var listening = machine.listen(steps::add);
            machine.send(note("p"));
            Waits.on(machine.process(note("n")));
            time.advance(SECOND);
            Waits.on(machine.process(go(At.C)));
            assertThat(steps).containsExactly(new MachineEvent.Postponed<>(At.A, note("p")),
                    new MachineEvent.Stayed<>(At.A, note("n")),
                    new MachineEvent.TimedOut<>(At.A, SECOND, At.B),
                    new MachineEvent.Stayed<>(At.B, note("p")),
                    new MachineEvent.Moved<>(At.B, go(At.C), At.C));
            assertThat(listening.cancel()).isTrue();
            Waits.on(machine.process(go(At.A)));
            assertThat(steps).hasSize(5);
            assertThat(recorder.await(Failed.class, 6).getLast().cause()).hasMessage("of a listener");
            assertThat(machine.counters().failed()).isZero();
        }
    }

    @Promise("45.11")
    @EveryStrategy
    void aLastStateCanBeAwaitedAfterTheEnd(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = StateMachine.open(scope, "machine",
                    TransitionTable.of(At.class, Event.class).state(At.A, a -> a.on(Event.class).goTo(At.B))
                            .state(At.B, b -> b.on(Event.class).goTo(At.C)).state(At.C, StateRows::end)
                            .build(At.A));
            machine.send(note("x"));
            machine.send(note("y"));
            assertThat(Waits.on(machine.awaitState(At.C))).isEqualTo(At.C);
            Waits.on(machine.onStopped());
            assertThat(Waits.on(machine.awaitState(At.C))).isEqualTo(At.C);
            assertThat(Waits.failure(machine.awaitState(At.B))).isInstanceOf(ActorStoppedException.class)
                    .hasMessageContaining("has stopped in state C, and the awaited state has not come");
        }
    }

    @Promise("45.11")
    @EveryStrategy
    void aStateCanBeAwaited(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = open(scope, table(a -> {
            }));
            var c = machine.awaitState(At.C);
            var notA = machine.awaitState(state -> state != At.A);
            var wrong = machine.awaitState(state -> {
                throw new IllegalStateException("of a predicate");
            });
            assertThat(Waits.on(machine.awaitState(At.A))).isEqualTo(At.A);
            assertThat(Waits.failure(wrong)).hasMessage("of a predicate");
            machine.send(go(At.B));
            assertThat(Waits.on(notA)).isEqualTo(At.B);
            assertThat(c).isNotDone();
            machine.send(go(At.C));
            assertThat(Waits.on(c)).isEqualTo(At.C);
            machine.send(go(At.A));
            assertThat(Waits.on(machine.awaitState(At.A))).as("behind what was sent before").isEqualTo(At.A);
        }
    }

    /** Each step takes turns with the other state, and what is for the other state waits there. */
    @Promise("45.4")
    @EveryStrategy
    void manySendersAndNoEventIsLost(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var machine = StateMachine.open(scope, "machine",
                    MachineOptions.standard().withActors(
                            actor -> actor.mailbox(MailboxPolicy.bounded(16, OverflowPolicy.block()))),
                    TransitionTable.<At, Integer, int[]>of(At.class, Integer.class, () -> new int[1])
                            .state(At.A,
                                    a -> a.on(0).run((step, n) -> step.data()[0]++).goTo(At.B).on(1)
                                            .postpone())
                            .state(At.B,
                                    b -> b.on(1).run((step, n) -> step.data()[0]++).goTo(At.A).on(0)
                                            .postpone())
                            .state(At.C, c -> c.onEntry(step -> log.add("" + step.data()[0])))
                            .everyState(every -> every.on(-1).goTo(At.C)).build(At.A));
            var senders = new ArrayList<Thread>();
            for (int sender = 0; sender < 4; sender++) {
                int number = sender % 2;
                senders.add(Thread.startVirtualThread(() -> {
                    for (int i = 0; i < 100; i++) {
                        machine.send(number);
                    }
                }));
            }
            for (var sender : senders) {
                Waits.on(sender);
            }
            assertThat(Waits.on(machine.process(-1))).isEqualTo(At.C);
            assertThat(log).containsExactly("400");
            assertThat(machine.counters().handled()).isEqualTo(401);
        }
    }

    @Test
    void oneTableServesManyMachines() throws Exception {
        try (var scope = scope(Strategy.FIBERS)) {
            var table = table(
                    a -> a.on(Event.Ask.class).run((step, ask) -> step.answer(ask, step.data().toString()))
                            .stay())
                    .build(At.A);
            var answers = new ArrayList<CompletableFuture<String>>();
            for (int i = 0; i < 20; i++) {
                int number = i;
                var machine = StateMachine.open(scope, "m" + i, MachineOptions.standard(), table,
                        () -> List.of("" + number));
                assertThat(machine.table()).isSameAs(table);
                answers.add(machine.request(new Event.Ask("")));
            }
            for (int i = 0; i < 20; i++) {
                assertThat(Waits.on(answers.get(i))).isEqualTo("[" + i + "]");
            }
        }
    }
}
