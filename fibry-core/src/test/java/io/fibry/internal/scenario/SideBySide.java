package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.Actors;
import io.fibry.AskCycleException;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.message.ReadOnly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/**
 * Messages that only read run side by side, between writers, code, restarts and the stop: of the actor, of its parent, or
 * because it is idle. No writer runs beside another handler, each sender's messages keep their order around writers, and
 * each ask has an outcome. Some readers cannot be started, or so it seems. The predicate changes its mind.
 */
final class SideBySide implements Scenario {
    private static final int MOST = 3;
    private static final String CLERK = "clerk";
    private static final Duration QUIET = Duration.ofMillis(3);

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
                "stopped beside a reader", "stopped: IDLE", "stopped with its parent",
                "a reader defers its reply",
                "no thread for a reader", "a reader runs, although its start has failed");
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
        int starts;
        /** How many replies are deferred. */
        int owed;
        /** When the last handler ended. */
        long latest;
        /** The message of which it was asked last whether it reads. */
        Object judged;
        /** Whether the stop is forced, for which some readers wait. */
        final boolean forces;
        Actor<Object, Object> actor;
        Actor<Object, Object> other;
        /** The actor to stop: the actor itself, or its parent. */
        Actor<?, ?> root;

        Desk(Play play, boolean resumes, boolean forces) {
            this.play = play;
            this.resumes = resumes;
            this.forces = forces;
        }

        Object read(ActorContext<Object, Object> context, Look look) throws Exception {
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
                    case 4 -> defer(context);
                    case 5, 6, 7 -> {
                        for (int i = play.upTo(30); i > 0; i--) {
                            Thread.yield(); // so the clock moves on meanwhile
                        }
                        if (look.kind == 5) {
                            defer(context);
                        }
                    }
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
                play.check(readers > 0, "no reader beside a reader");
                latest = play.schedule.time().nanoTime();
                readers--;
            }
        }

        private void defer(ActorContext<Object, Object> context) {
            owed++;
            var reply = context.deferReply();
            play.saw("a reader defers its reply");
            play.spawn("replier", () -> {
                for (int i = play.upTo(8); i > 0; i--) {
                    play.pause();
                }
                owed--;
                reply.complete(1);
            });
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
                end();
            }
        }

        void end() {
            latest = play.schedule.time().nanoTime();
            writers--;
        }

        Actor<Object, Object> make(ActorBuilder builder) {
            return builder.newActorWithReturnFrom(context -> {
                play.check(readers == 0, "a start beside readers");
                failed = false;
                if (starts++ > 0) {
                    play.saw("restarted");
                }
                return message -> message instanceof Look look ? read(context, look) : write((Write) message);
            });
        }

        /** The predicate, which is asked once for each message. */
        boolean reads(Object message) {
            play.check(message != judged, "asked twice whether " + message + " reads");
            judged = message;
            return message instanceof Look;
        }

        void stopped(Stopped how) {
            play.check(readers == 0 && writers == 0,
                    "an end beside " + readers + " readers and " + writers + " writers");
            if (root != actor && stops) {
                play.saw("stopped with its parent");
            }
            if (how.reason() == Reason.IDLE) {
                play.saw("stopped: IDLE");
                play.check(owed == 0, "stopped as idle, and owes " + owed + " replies");
                play.check(play.schedule.time().nanoTime() - latest >= QUIET.toNanos(),
                        "stopped as idle too early");
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
            if (event instanceof Stopped how && how.actor().equals(CLERK)) {
                desk.stopped(how);
            }
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
        var isChild = play.chance(30);
        var strategy = play.elsewhere();
        var hasHook = play.chance(60);
        var stopsWhenIdle = play.chance(30);
        UnaryOperator<ActorBuilder> settings = builder -> {
            var set = builder.strategy(strategy).onFailure(policy).readers(MOST, desk::reads);
            if (stopsWhenIdle) {
                set = set.stopWhenIdle(QUIET);
            }
            return !hasHook ? set : set.onExit(() -> {
                play.check(desk.readers == 0, "an exit hook beside readers");
                play.check(desk.writers == 0, "an exit hook beside a writer");
                if (desk.failed && !resumes && !desk.stops) {
                    play.saw("stopped by a failure");
                }
            });
        };
        var outcomes = new ArrayList<CompletableFuture<?>>();
        // The child is made here and now: the marks in the making depend on the hashes of actors, so no schedule may have them.
        Actor<Object, Object> parent = scope.anonymous().strategy(CreationStrategy.caller())
                .newActorWithReturn((context, message) -> {
                    desk.actor = desk.make(settings.apply(context.child(CLERK)));
                    return 1;
                });
        if (isChild) {
            parent.apply("make");
        } else {
            desk.actor = desk.make(settings.apply(scope.named(CLERK)));
        }
        desk.root = isChild ? parent : desk.actor;
        play.spawn("maker", () -> {
            if (play.chance(20)) {
                EngineProbe.fibers(task -> startPerhaps(play, task));
            }
            begin(play, desk, outcomes, stopsWhenIdle);
        });
        play.ledger.atTheEnd(() -> {
            play.check(EngineProbe.readerPlaces(desk.actor) <= MOST,
                    EngineProbe.readerPlaces(desk.actor) + " places for readers");
            outcomes.forEach(each -> play.check(each.isDone(), "no outcome: " + each));
            play.check(desk.actor.state() == ActorState.STOPPED, "the actor is " + desk.actor.state());
        });
        play.schedule.run();
        play.check(resumes || !desk.failed || desk.stops || desk.actor.state() == ActorState.STOPPED,
                "the policy was not applied to a failure");
        // The actor is idle now.
        play.spawn("late sender", () -> outcomes.add(desk.actor
                .sendMessageReturn(new Look(0, desk.sent[0], 5 + play.random.nextInt(3)))));
        if (stopsWhenIdle) {
            play.clock(play.upTo(20));
        } else {
            play.spawn("late stopper", () -> {
                desk.stops = true;
                desk.actor.sendPoisonPill();
            });
        }
        play.schedule.run();
        play.spawn("ender", () -> {
            desk.stops = true;
            desk.actor.close();
            parent.close();
            desk.other.close();
            scope.close();
        });
    }

    private static void begin(Play play, Desk desk, List<CompletableFuture<?>> outcomes,
            boolean stopsWhenIdle) {
        for (int s = 0; s < 3; s++) {
            var mine = s;
            play.spawn("sender" + s, () -> {
                for (int i = 0; i < 5; i++) {
                    play.pause();
                    send(play, desk, outcomes, mine);
                }
            });
        }
        if (stopsWhenIdle) {
            play.clock(play.upTo(6));
        }
        if (desk.forces || play.chance(40)) {
            play.spawn("stopper", () -> {
                for (int i = play.upTo(6); i > 0; i--) {
                    play.pause();
                }
                stop(play, desk);
            });
        }
    }

    /** Starts a task as fibers do. A reader is sometimes not started, and sometimes its start fails although it runs. */
    private static void startPerhaps(Play play, Runnable task) {
        var isReader = StackWalker.getInstance().walk(frames -> frames.anyMatch(
                frame -> frame.getClassName().endsWith(".Readers") && frame.getMethodName().equals("start")));
        var chance = isReader ? play.random.nextInt(4) : 3;
        if (chance > 0) {
            play.schedule.executor().execute(task);
        }
        if (chance < 2) {
            play.saw(chance == 0 ? "no thread for a reader" : "a reader runs, although its start has failed");
            throw new OutOfMemoryError("as wanted");
        }
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
                desk.end();
                return 1;
            }));
            default -> outcomes.add(Actors.holding(List.of(desk.actor, desk.other)).execFuture(() -> {
                desk.begin();
                play.saw("held");
                play.pause();
                desk.end();
                return 1;
            }));
        }
    }

    private static void stop(Play play, Desk desk) {
        desk.stops = true;
        if (desk.forces) {
            desk.forced = true;
            desk.root.stop(Duration.ZERO);
        } else if (play.chance(50)) {
            desk.root.askExit();
        } else {
            desk.root.sendPoisonPill();
        }
    }
}
