package io.fibry.internal.scenario;

import io.fibry.ActorStoppedException;
import io.fibry.internal.memory.Interleave;
import io.fibry.work.RateLimiter;
import io.fibry.work.RateLimiterOptions;
import io.fibry.work.WorkProbe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;

/**
 * Threads want turns of a rate limiter, and some of them give up at the moment at which their turn comes. All ask at the
 * beginning, so the times of the turns that are used are known: one that is later was lost in between.
 */
final class TurnsGivenUp implements Scenario {
    private static final int CALLERS = 5;

    @Override
    public String name() {
        return "turns-given-up";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a turn was given up", "a call was cancelled", "a wait was interrupted",
                "a turn came before it was given up", "the scope has ended before");
    }

    /** The turns that were used, and what gives up when. */
    private static final class Turns {
        final Play play;
        final RateLimiter limiter;
        final int burst;
        final boolean ends;
        int used;

        Turns(Play play) {
            this.play = play;
            burst = play.upTo(2);
            ends = play.chance(20);
            var scope = play.scope.child("limited").strategy(play.elsewhere()).open();
            limiter = RateLimiter.open(scope, "limiter",
                    RateLimiterOptions.of(1, Play.MILLI, CALLERS).withBurst(burst));
            if (ends) {
                play.spawn("closer", () -> {
                    awaitMoment();
                    scope.close();
                });
            }
        }

        /** A moment at which some turn comes. */
        void awaitMoment() throws InterruptedException {
            var moment = new Semaphore(0);
            play.schedule.time().schedule(Play.MILLI.toNanos() * play.random.nextInt(CALLERS),
                    moment::release);
            moment.acquire();
            for (int pauses = play.random.nextInt(6); pauses > 0; pauses--) {
                Thread.yield();
            }
        }

        void use() {
            var due = Play.MILLI.toNanos() * Math.max(0, used - burst + 1);
            var now = play.schedule.time().nanoTime();
            play.check(now >= due, "turn " + used + " comes at " + now + ", before " + due);
            play.check(now == due || ends, "turn " + used + " comes at " + now + ", after " + due);
            used++;
        }

        void await(CompletableFuture<?> future) {
            try {
                future.join();
            } catch (CancellationException given) {
                play.check(future.isCancelled(), "cancelled by another");
            } catch (CompletionException failed) {
                play.check(ends && failed.getCause() instanceof ActorStoppedException, "failed: " + failed);
                play.saw("the scope has ended before");
            }
        }

        void giveUp(CompletableFuture<?> future, String what) throws InterruptedException {
            awaitMoment();
            play.saw(future.cancel(false) ? what : "a turn came before it was given up");
        }
    }

    @Override
    public void play(Play play) {
        WorkProbe.marks(Interleave::here);
        var turns = new Turns(play);
        for (int i = 0; i < CALLERS; i++) {
            var number = i;
            switch (play.random.nextInt(3)) {
                case 0 -> play.spawn("turn" + number, () -> takeTurn(turns, number));
                case 1 -> play.spawn("call" + number, () -> call(turns, number));
                default -> play.spawn("wait" + number, () -> await(turns, number));
            }
        }
    }

    private static void takeTurn(Turns turns, int number) {
        var turn = turns.limiter.turn();
        var used = turn.thenRun(turns::use);
        if (turns.play.chance(50)) {
            turns.play.spawn("quitter" + number, () -> turns.giveUp(turn, "a turn was given up"));
        }
        turns.await(turn);
        turns.play.check(!used.isCompletedExceptionally() || turn.isCompletedExceptionally(), "use failed");
    }

    private static void call(Turns turns, int number) {
        var result = turns.limiter.start(() -> {
            turns.use();
            return CompletableFuture.completedFuture(number);
        });
        if (turns.play.chance(50)) {
            turns.play.spawn("quitter" + number, () -> turns.giveUp(result, "a call was cancelled"));
        }
        turns.await(result);
    }

    private static void await(Turns turns, int number) {
        var caller = Thread.currentThread();
        var done = new ArrayList<Boolean>();
        if (turns.play.chance(50)) {
            turns.play.spawn("quitter" + number, () -> {
                turns.awaitMoment();
                if (done.isEmpty()) {
                    caller.interrupt();
                }
            });
        }
        try {
            turns.limiter.await();
            turns.use();
        } catch (InterruptedException interrupt) {
            turns.play.saw("a wait was interrupted");
        } catch (ActorStoppedException ended) {
            turns.play.check(turns.ends, "ended early");
            turns.play.saw("the scope has ended before");
        }
        done.add(true);
    }
}
