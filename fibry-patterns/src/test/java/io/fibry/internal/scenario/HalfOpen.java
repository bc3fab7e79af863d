package io.fibry.internal.scenario;

import io.fibry.internal.memory.Interleave;
import io.fibry.work.BreakerOptions;
import io.fibry.work.BreakerState;
import io.fibry.work.BreakerWindow;
import io.fibry.work.CircuitBreaker;
import io.fibry.work.CircuitOpenException;
import io.fibry.work.WorkProbe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/**
 * Threads start calls at the moment at which a breaker is half-open. The calls fail, are cancelled, or hang and succeed when
 * the breaker has begun another round, in which they do not count.
 */
final class HalfOpen implements Scenario {
    private static final int MOMENTS = 3;

    @Override
    public String name() {
        return "half-open";
    }

    @Override
    public List<String> sometimes() {
        return List.of("refused", "a trial has failed", "a trial was cancelled",
                "a trial of an earlier round has ended",
                "a cancelled trial has left its place");
    }

    /** What has happened at one moment, which is one round of the breaker. */
    private static final class Round {
        final int moment;
        int started;
        /** Counted before the trial is cancelled. */
        int leaving;
        /** Counted after it. */
        int cancelled;
        int failed;
        /** The threads that are about to start a call. */
        int starting;

        Round(int moment) {
            this.moment = moment;
        }
    }

    /** A trial that has not ended in its round. */
    private record Hanging(int moment, CompletableFuture<Integer> trial) {
    }

    @Override
    public void play(Play play) {
        WorkProbe.marks(Interleave::here);
        var trials = play.upTo(2);
        var breaker = CircuitBreaker.open(play.scope, "breaker",
                BreakerOptions.of(BreakerWindow.lastCalls(1), Play.MILLI).withFailureRate(1)
                        .withTrials(trials));
        breaker.start(() -> CompletableFuture.failedFuture(new IllegalStateException("as wanted")));
        play.check(breaker.state() == BreakerState.OPEN, "not open: " + breaker);
        var hanging = new ArrayList<Hanging>();
        for (int moment = 1; moment <= MOMENTS; moment++) {
            var round = new Round(moment);
            for (int i = 0; i < 4; i++) {
                var due = new Semaphore(0);
                play.schedule.time().schedule(Play.MILLI.toNanos() * moment, due::release);
                play.spawn("caller" + moment + i, () -> {
                    due.acquire();
                    if (!hanging.isEmpty() && hanging.getFirst().moment() < round.moment) {
                        succeedLate(play, breaker, hanging.removeFirst().trial());
                    }
                    for (int calls = play.upTo(2); calls > 0; calls--) {
                        call(play, breaker, round, trials, hanging);
                        play.pause();
                    }
                });
            }
        }
        play.ledger.atTheEnd(() -> hanging.forEach(each -> each.trial().complete(0)));
    }

    private static void succeedLate(Play play, CircuitBreaker breaker, CompletableFuture<Integer> trial) {
        play.check(breaker.state() != BreakerState.CLOSED, "closed"); // from here on there is another round
        trial.complete(1);
        play.saw("a trial of an earlier round has ended");
        play.check(breaker.state() != BreakerState.CLOSED, "closed by a trial of an earlier round");
    }

    private static void call(Play play, CircuitBreaker breaker, Round round, int trials,
            List<Hanging> hanging) {
        var trial = new CompletableFuture<Integer>();
        var before = round.started;
        var isFree = round.failed == 0 && round.starting == 0 && round.started - round.cancelled < trials;
        var leftPlace = isFree && round.cancelled > 0;
        round.starting++;
        var result = breaker.start(() -> {
            round.started++;
            play.check(round.started - round.leaving <= trials, "more than " + trials + " trials");
            return trial;
        });
        round.starting--;
        if (result.isCompletedExceptionally()) {
            play.check(result.exceptionNow() instanceof CircuitOpenException, "failed: " + result);
            play.check(!isFree || round.started > before || round.starting > 0 || round.failed > 0,
                    "refused although there is a place");
            play.saw("refused");
            return;
        }
        if (leftPlace) {
            play.saw("a cancelled trial has left its place");
        }
        play.pause();
        switch (play.random.nextInt(4)) {
            case 0 -> {
                round.failed++;
                trial.completeExceptionally(new IllegalStateException("as wanted"));
                play.saw("a trial has failed");
            }
            case 1 -> hanging.add(new Hanging(round.moment, trial));
            default -> {
                round.leaving++;
                result.cancel(false);
                round.cancelled++;
                play.saw("a trial was cancelled");
            }
        }
    }
}
