package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.Actors;
import io.fibry.AskCycleException;
import io.fibry.FailurePolicy;
import io.fibry.message.ReadOnly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Messages that only read run side by side, between writers, code, restarts and the stop. No writer runs beside another
 * handler, each sender's messages keep their order around writers, and each ask has an outcome.
 */
final class SideBySide implements Scenario {
    private static final int MOST = 3;

    @Override
    public String name() {
        return "readers";
    }

    @Override
    public List<String> sometimes() {
        return List.of("two readers", "as many readers as allowed", "a reader has failed", "restarted",
                "stopped by a failure",
                "a writer has failed", "a reader was interrupted", "a cycle", "held",
                "a reader asked another actor",
                "stopped beside a reader");
    }

    private record Look(int sender, int writes, int kind) implements ReadOnly {
    }

    private record Write(int sender, boolean fails) {
    }

    private static final class Desk {
        final Play play;
        int readers;
        int writers;
        /** How many writes of each sender were handled, and how many were sent. */
        final int[] written = new int[4];
        final int[] sent = new int[4];
        /** How many handlers have failed since the last start. */
        boolean failed;
        boolean stops;
        boolean forced;
        final boolean resumes;
        /** Whether the stop is forced, for which some readers wait. */
        final boolean forces;
        Actor<Object, Object> actor;
        Actor<Object, Object> other;

        Desk(Play play, boolean resumes, boolean forces) {
            this.play = play;
            this.resumes = resumes;
            this.forces = forces;
        }

        Object read(Look look) throws Exception {
            play.check(writers == 0, "a reader beside a writer");
            play.check(++readers <= MOST, readers + " readers");
            play.saw(readers == MOST ? "as many readers as allowed" : readers == 2 ? "two readers"
                    : "a reader");
            if (stops && readers > 1) {
                play.saw("stopped beside a reader");
            }
            try {
                play.pause();
                play.check(look.writes == written[look.sender],
                        "a reader sees " + written[look.sender] + " writes of its sender, not "
                                + look.writes);
                switch (look.kind) {
                    case 0 -> {
                        failed = true;
                        play.saw("a reader has failed");
                        throw new IllegalStateException("a reader");
                    }
                    case 1, 2 -> ask();
                    case 3 -> {
                        if (forces) {
                            while (!Thread.interrupted()) {
                                LockSupport.park(this);
                            }
                            play.check(forced, "a reader was interrupted for nothing");
                            play.saw("a reader was interrupted");
                        }
                    }
                    default -> play.pause();
                }
                if (Thread.interrupted()) {
                    play.check(forced, "a reader was interrupted for nothing");
                    play.saw("a reader was interrupted");
                }
                return look.writes;
            } finally {
                play.check(writers == 0, "a writer beside a reader");
                readers--;
            }
        }

        private void ask() {
            try {
                other.sendMessageReturnWait("ask");
                play.saw("a reader asked another actor");
            } catch (AskCycleException e) {
                play.saw("a cycle");
            } catch (ExecutionException | InterruptedException e) {
                if (forced) {
                    play.saw("a reader was interrupted");
                }
            }
        }

        Object write(Write write) {
            begin();
            try {
                play.pause();
                written[write.sender]++;
                if (write.fails) {
                    failed = true;
                    play.saw("a writer has failed");
                    throw new IllegalStateException("a writer");
                }
                return 1;
            } finally {
                writers--;
            }
        }

        void begin() {
            play.check(readers == 0, "a writer beside " + readers + " readers");
            play.check(writers++ == 0, "two writers");
            play.check(!failed || resumes, "a writer comes before the policy");
        }
    }

    @Override
    public void play(Play play) {
        var resumes = play.chance(40);
        var desk = new Desk(play, resumes, play.chance(40));
        var scope = ActorScope.configure("desk").listener(event -> {
        }).time(play.schedule.time()).strategy(play.elsewhere()).open();
        desk.other = scope.anonymous().strategy(play.elsewhere()).newActorWithReturn(message -> {
            try {
                return play.chance(50) ? 1 : desk.actor.sendMessageReturnWait(new Look(3, 0, 5));
            } catch (AskCycleException e) {
                play.saw("a cycle");
                throw e;
            }
        });
        var policy = resumes ? FailurePolicy.resume()
                : play.chance(70) ? FailurePolicy.restart() : FailurePolicy.stop();
        var starts = new int[1];
        desk.actor =
                scope.anonymous().strategy(play.elsewhere()).onFailure(policy).readers(MOST).onExit(() -> {
                    play.check(desk.readers == 0, "an exit hook beside readers");
                    play.check(desk.writers == 0, "an exit hook beside a writer");
                    if (desk.failed && !resumes && !desk.stops) {
                        play.saw("stopped by a failure");
                    }
                }).<Object, Object>newActorWithReturnFrom(context -> {
                    play.check(desk.readers == 0, "a start beside readers");
                    desk.failed = false;
                    if (starts[0]++ > 0) {
                        play.saw("restarted");
                    }
                    return message -> message instanceof Look look
                            ? desk.read(look)
                            : desk.write((Write) message);
                });
        var outcomes = new ArrayList<CompletableFuture<?>>();
        for (int s = 0; s < 3; s++) {
            var mine = s;
            play.spawn("sender" + s, () -> {
                for (int i = 0; i < 5; i++) {
                    play.pause();
                    send(play, desk, outcomes, mine);
                }
            });
        }
        if (desk.forces || play.chance(40)) {
            play.spawn("stopper", () -> {
                for (int i = play.upTo(6); i > 0; i--) {
                    play.pause();
                }
                stop(play, desk);
            });
        }
        play.ledger.atTheEnd(() -> {
            outcomes.forEach(each -> play.check(each.isDone(), "no outcome: " + each));
            play.check(desk.actor.state() == ActorState.STOPPED, "the actor is " + desk.actor.state());
        });
        play.schedule.run();
        play.check(resumes || !desk.failed || desk.stops || desk.actor.state() == ActorState.STOPPED,
                "the policy was not applied to a failure");
        play.spawn("ender", () -> {
            desk.stops = true;
            desk.actor.close();
            desk.other.close();
            scope.close();
        });
    }

    private static void send(Play play, Desk desk, List<CompletableFuture<?>> outcomes, int sender) {
        switch (play.random.nextInt(8)) {
            case 0, 1, 2, 3 -> outcomes.add(desk.actor.sendMessageReturn(
                    new Look(sender, desk.sent[sender], play.random.nextInt(12))));
            case 4 -> desk.actor.sendMessage(new Look(sender, desk.sent[sender], play.random.nextInt(12)));
            case 5 -> {
                desk.sent[sender]++;
                outcomes.add(desk.actor.sendMessageReturn(new Write(sender, play.chance(20))));
            }
            case 6 -> outcomes.add(desk.actor.execFuture(() -> {
                desk.begin();
                play.pause();
                desk.writers--;
                return 1;
            }));
            default -> outcomes.add(Actors.holding(List.of(desk.actor, desk.other)).execFuture(() -> {
                desk.begin();
                play.saw("held");
                play.pause();
                desk.writers--;
                return 1;
            }));
        }
    }

    private static void stop(Play play, Desk desk) {
        desk.stops = true;
        if (desk.forces) {
            desk.forced = true;
            desk.actor.stop(Duration.ZERO);
        } else if (play.chance(50)) {
            desk.actor.askExit();
        } else {
            desk.actor.sendPoisonPill();
        }
    }
}
