package io.fibry.internal.scenario;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.fsm.MachineEvent;
import io.fibry.fsm.MachineOptions;
import io.fibry.fsm.StateMachine;
import io.fibry.fsm.Step;
import io.fibry.fsm.TransitionTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Threads send events to a door that postpones what it cannot handle while it is closed, and rings a bell when it opens. Its
 * time-outs come, some of its steps fail, and it is stopped. The events that it has handled are the first ones of each sender,
 * without a gap: one that is postponed comes before each later one.
 */
final class Machines implements Scenario {
    private static final int SENDERS = 2;
    private static final int EVENTS = 5;
    /** The time-out of the closed door. It is longer than the other one: the timer of a door that was open comes too early for it. */
    private static final Duration KNOCK = Play.MILLI.multipliedBy(3);

    private enum At {
        CLOSED, OPEN
    }

    private sealed interface Event {
    }

    /** Opens the door, or closes it. */
    private record Turn(int sender, int number) implements Event {
    }

    /** Goes through the open door. */
    private record Pass(int sender, int number) implements Event {
    }

    /** Raised when the door opens. */
    private record Bell() implements Event {
    }

    @Override
    public String name() {
        return "machine";
    }

    @Override
    public List<String> sometimes() {
        return List.of("postponed", "timed out", "knocked", "moved", "a step has failed", "open at rest",
                "stopped with events that wait", "all events were handled");
    }

    /** A door, and what it must be like by what it has told. */
    private static final class Door {
        final Play play;
        final StateMachine<At, Event, Object> machine;
        final int failing;
        final List<Turn> turns = new ArrayList<>();
        final List<Pass> passes = new ArrayList<>();
        final Semaphore gone = new Semaphore(0);
        final int[] turnsSent = new int[SENDERS];
        final int[] passesSent = new int[SENDERS];
        At at = At.CLOSED;
        long openedAt;
        long closedAt;
        boolean isKnockDue;
        int inside;
        int timeOuts;
        int bells;
        int failures;
        int reported;
        boolean isBellDue;
        boolean isOver;
        boolean isStopping;

        Door(Play play, ActorScope scope) {
            this.play = play;
            failing = play.chance(50) ? 0 : 20;
            machine = StateMachine.open(scope, "door", MachineOptions.standard()
                    .withActors(builder -> builder.onFailure(FailurePolicy.resume())), table(), Object::new);
            machine.listen(this::heard);
        }

        private TransitionTable<At, Event, Object> table() {
            return TransitionTable.<At, Event, Object>of(At.class, Event.class, Object::new)
                    .state(At.CLOSED, closed -> closed.onEntry(this::closed)
                            .after(KNOCK).run((step, after) -> knock(step)).stay()
                            .on(Turn.class).run(this::turn).goTo(At.OPEN)
                            .on(Pass.class).postpone())
                    .state(At.OPEN, open -> open.onEntry(this::opened)
                            .after(Play.MILLI).run((step, after) -> timeOut(step)).goTo(At.CLOSED)
                            .on(Turn.class).run(this::turn).goTo(At.CLOSED)
                            .on(Pass.class).run(this::pass).stay()
                            .on(Bell.class).run((step, bell) -> ring(step)).stay())
                    .build(At.CLOSED);
        }

        private void heard(MachineEvent<At, Event> event) {
            switch (event) {
                case MachineEvent.Postponed<At, Event> postponed -> {
                    play.check(at == At.CLOSED && !isBellDue, "postponed at " + at);
                    play.saw("postponed");
                }
                case MachineEvent.TimedOut<At, Event> over -> {
                    at = over.to();
                    play.saw("timed out");
                }
                case MachineEvent.Moved<At, Event> moved -> {
                    at = moved.to();
                    isBellDue = at == At.OPEN;
                    play.saw("moved");
                }
                case MachineEvent.StepFailed<At, Event> failed -> {
                    play.check(failed.state() == at, "it was at " + at + ", and failed at " + failed.state());
                    play.saw("a step has failed");
                }
                default -> {
                }
            }
        }

        private void begin(Step<At, Event, Object> step, boolean isBell) {
            play.check(inside++ == 0, "two events at a time");
            play.check(step.state() == at, "it is at " + at + ", and handles an event at " + step.state());
            play.check(isBell == isBellDue, isBell ? "a bell that was not raised" : "before the bell");
            isBellDue = false;
            play.pause();
        }

        private void end() {
            inside--;
        }

        private void turn(Step<At, Event, Object> step, Turn event) {
            begin(step, false);
            turns.add(event);
            end();
        }

        private void pass(Step<At, Event, Object> step, Pass event) {
            begin(step, false);
            passes.add(event);
            end();
            mayFail();
        }

        private void timeOut(Step<At, Event, Object> step) {
            begin(step, false);
            var stay = play.schedule.time().nanoTime() - openedAt;
            play.check(stay >= Play.MILLI.toNanos(), "the time-out comes after " + stay + " ns");
            timeOuts++;
            end();
        }

        private void knock(Step<At, Event, Object> step) {
            begin(step, false);
            var stay = play.schedule.time().nanoTime() - closedAt;
            play.check(isKnockDue && stay >= KNOCK.toNanos(),
                    "the time-out of the closed door comes after " + stay + " ns");
            isKnockDue = false;
            play.saw("knocked");
            end();
        }

        private void closed(Step<At, Event, Object> step) {
            closedAt = play.schedule.time().nanoTime();
            isKnockDue = true;
        }

        private void ring(Step<At, Event, Object> step) {
            begin(step, true);
            bells++;
            end();
        }

        private void opened(Step<At, Event, Object> step) {
            mayFail();
            openedAt = play.schedule.time().nanoTime();
            step.raise(new Bell());
        }

        private void mayFail() {
            if (play.chance(failing)) {
                failures++;
                throw new IllegalStateException("as wanted");
            }
        }

        void send(int sender) throws InterruptedException {
            for (int n = 0; n < EVENTS; n++) {
                play.pause();
                if (play.chance(20)) {
                    play.rest(); // a time-out may come in the meantime
                }
                if (play.chance(50)) {
                    machine.send(new Turn(sender, turnsSent[sender]++));
                } else {
                    machine.send(new Pass(sender, passesSent[sender]++));
                }
            }
        }

        /** Nothing can go on but the clock. Returns whether there is more to look at. */
        boolean look() {
            if (isStopping) {
                return false;
            }
            if (at == At.OPEN) {
                play.saw("open at rest");
                play.check(!isBellDue, "the bell does not come");
                play.check(play.schedule.time().nanoTime() - openedAt < 2 * Play.MILLI.toNanos(),
                        "the time-out does not come");
                play.check(passes.size() == sum(passesSent),
                        "it is open, and has handled only " + passes + " of " + sum(passesSent));
            }
            if (at == At.CLOSED) {
                play.check(!isKnockDue
                        || play.schedule.time().nanoTime() - closedAt < KNOCK.plus(Play.MILLI).toNanos(),
                        "the time-out of the closed door does not come");
            }
            play.check(turns.size() == sum(turnsSent), "handled only " + turns + " of " + sum(turnsSent));
            play.check(machine.state() == at, "it is at " + at + ", and shows " + machine.state());
            return !isOver;
        }

        void checkEnd() {
            var counters = machine.counters();
            int sent = sum(turnsSent) + sum(passesSent);
            int handled = turns.size() + passes.size();
            int lost = (int) (counters.undelivered() + counters.refused());
            play.check(counters.failed() == failures && reported == failures,
                    failures + " steps have failed, " + reported + " were reported, but " + counters);
            int sentAway = sent - handled;
            play.check(lost >= sentAway, sentAway + " events were not handled, but " + counters);
            if (sentAway > 0) {
                play.saw("stopped with events that wait");
            } else {
                play.saw("all events were handled");
            }
            for (int i = 0; i < SENDERS; i++) {
                int sender = i;
                inOrder(turns.stream().filter(each -> each.sender() == sender).map(Turn::number).toList());
                inOrder(passes.stream().filter(each -> each.sender() == sender).map(Pass::number).toList());
            }
        }

        private void inOrder(List<Integer> numbers) {
            for (int n = 0; n < numbers.size(); n++) {
                play.check(numbers.get(n) == n, "out of order, or with a gap: " + numbers);
            }
        }

        private static int sum(int[] numbers) {
            int sum = 0;
            for (int number : numbers) {
                sum += number;
            }
            return sum;
        }
    }

    @Override
    public void play(Play play) {
        var reported = new int[1];
        // The events are no messages of the play.
        var scope = ActorSystem.configure("machines").time(play.schedule.time()).strategy(play.elsewhere())
                .listener(event -> reported[0] += event instanceof Failed ? 1 : 0).open();
        var door = new Door(play, scope);
        for (int i = 0; i < SENDERS; i++) {
            var sender = i;
            play.spawn("sender" + i, () -> {
                door.send(sender);
                if (play.chance(30)) {
                    play.rest();
                    door.machine.send(new Turn(sender, door.turnsSent[sender]++));
                }
                door.gone.release();
            });
        }
        if (play.chance(40)) {
            play.clock(3);
        } else {
            play.whenQuiet(door::look);
        }
        if (play.chance(30)) {
            play.spawn("stopper", () -> {
                for (int pauses = play.random.nextInt(40); pauses > 0; pauses--) {
                    play.pause();
                }
                door.isStopping = true;
                door.machine.stop(Duration.ofMinutes(1));
            });
        }
        play.spawn("last", () -> {
            door.gone.acquire(SENDERS);
            for (int rests = play.random.nextInt(6); rests > 0; rests--) {
                play.rest(); // nobody touches the door, so its time-outs must come by themselves
            }
            door.isOver = true;
            play.rest(); // the auditor has looked meanwhile
            door.isStopping = true;
            scope.close();
        });
        play.ledger.atTheEnd(() -> {
            door.reported = reported[0];
            door.checkEnd();
        });
    }
}
