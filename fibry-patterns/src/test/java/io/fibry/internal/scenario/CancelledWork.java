package io.fibry.internal.scenario;

import io.fibry.ActorSystem;
import io.fibry.function.Body;
import io.fibry.internal.memory.Interleave;
import io.fibry.work.Receipt;
import io.fibry.work.ReceiptOptions;
import io.fibry.work.ReceiptState;
import io.fibry.work.ReceiptState.Status;
import io.fibry.work.Receipts;
import io.fibry.work.WorkEvent;
import io.fibry.work.WorkProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;

/** Work with a receipt ends by itself, is cancelled, or ends with its scope, while callers ask for its result. */
final class CancelledWork implements Scenario {
    @Override
    public String name() {
        return "cancelled-work";
    }

    @Override
    public List<String> sometimes() {
        return List.of("DONE", "FAILED", "CANCELLED", "cancelled before it began", "interrupted",
                "it had ended before it was cancelled", "closed before it began");
    }

    /** What is known of one piece of work. */
    private static final class Job {
        boolean hasBegun;
        boolean isCancelled;
    }

    /** The number of threads and of running pieces of work of a play. The last one to end signals the end. */
    private static final class Crew {
        final Play play;
        final Semaphore gone = new Semaphore(0);
        int alive;

        Crew(Play play) {
            this.play = play;
        }

        void spawn(String name, Body body) {
            alive++;
            play.spawn(name, () -> {
                try {
                    body.run();
                } finally {
                    leave();
                }
            });
        }

        void leave() {
            if (--alive == 0) {
                gone.release();
            }
        }
    }

    @Override
    public void play(Play play) {
        WorkProbe.marks(Interleave::here);
        var crew = new Crew(play);
        // What it loses are no messages of the play.
        var scope = ActorSystem.configure("works").time(play.schedule.time()).strategy(play.strategy)
                .listener(event -> {
                }).open();
        Map<String, Status> told = new HashMap<>();
        var ids = new ArrayList<Integer>();
        var options = ReceiptOptions.of(Duration.ofDays(1), 10).withIds(() -> {
            ids.add(0);
            return "id" + ids.size();
        }).withActors(builder -> builder.strategy(play.elsewhere())).withListener(event -> {
            if (event instanceof WorkEvent.ReceiptChanged(var name, var state) && state.isOver()) {
                play.check(told.put(state.id(), state.status()) == null, "two ends of " + state.id());
            }
        });
        var receipts = Receipts.open(scope, "work", options);
        for (int i = 0; i < 2; i++) {
            var number = i;
            crew.spawn("starter" + i, () -> start(crew, receipts, number, told));
        }
        play.spawn("last", () -> {
            crew.gone.acquire();
            scope.close();
        });
        if (play.chance(30)) {
            crew.spawn("stopper", () -> {
                for (int pauses = play.random.nextInt(20); pauses > 0; pauses--) {
                    play.pause();
                }
                receipts.stop(Duration.ZERO);
            });
        }
    }

    private static void start(Crew crew, Receipts receipts, int number, Map<String, Status> told) {
        var play = crew.play;
        var job = new Job();
        var waits = play.chance(30);
        var fails = play.chance(30);
        Receipt<Integer> receipt;
        try {
            receipt = receipts.start(progress -> {
                play.check(!job.isCancelled, "it begins after it was cancelled");
                job.hasBegun = true;
                crew.alive++;
                try {
                    play.pause();
                    progress.percent(50);
                    if (waits) {
                        awaitInterrupt(play);
                    }
                    if (fails) {
                        throw new IllegalStateException("as wanted");
                    }
                    return number;
                } finally {
                    crew.leave();
                }
            });
        } catch (IllegalStateException closed) {
            play.saw("closed before it began");
            return;
        }
        if (waits || play.chance(50)) {
            crew.spawn("canceller" + number, () -> {
                for (int pauses = play.random.nextInt(20); pauses > 0; pauses--) {
                    play.pause();
                }
                var hadBegun = job.hasBegun;
                if (receipt.cancel()) {
                    job.isCancelled = !job.hasBegun;
                    play.saw(hadBegun ? "cancelled" : "cancelled before it began");
                    play.check(receipt.state().status() == Status.CANCELLED, "another end: " + receipt);
                } else {
                    play.saw("it had ended before it was cancelled");
                }
            });
        }
        for (int i = 0; i < 2; i++) {
            crew.spawn("asker" + number + i, () -> {
                for (int pauses = play.random.nextInt(10); pauses > 0; pauses--) {
                    play.pause();
                }
                ask(play, receipt, number);
            });
        }
        play.ledger.atTheEnd(() -> play.check(told.get(receipt.id()) == receipt.state().status(),
                "told " + told + ", but " + receipt));
    }

    private static void awaitInterrupt(Play play) throws InterruptedException {
        try {
            new Semaphore(0).acquire();
        } catch (InterruptedException e) {
            play.saw("interrupted");
            throw e;
        }
    }

    private static void ask(Play play, Receipt<Integer> receipt, int number) {
        var result = receipt.result();
        Status status;
        try {
            play.check(result.join() == number, "the result of another");
            status = Status.DONE;
        } catch (CompletionException failed) {
            status = failed.getCause() instanceof CancellationException ? Status.CANCELLED : Status.FAILED;
        }
        ReceiptState state = receipt.state();
        play.check(state.status() == status, "the result is " + status + ", but " + state);
        play.saw(status.name());
    }
}
