package io.fibry.internal.scenario;

import io.fibry.ActorSystem;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.AskTimeoutException;
import io.fibry.FailurePolicy;
import io.fibry.FailurePolicy.Backoff;
import io.fibry.internal.memory.Interleave;
import io.fibry.work.RefillFailedException;
import io.fibry.work.Reserve;
import io.fibry.work.ReserveOptions;
import io.fibry.work.WorkProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;

/**
 * Threads take values of a reserve in each of the ways there are while it is refilled. Waits are interrupted and cancelled, refills
 * fail or make no more values at all, and the reserve is closed. Each value is taken once, or is left over once.
 */
final class ValuesTaken implements Scenario {
    private static final int THREADS = 3;
    private static final int ROUNDS = 4;

    @Override
    public String name() {
        return "reserve";
    }

    @Override
    public List<String> sometimes() {
        return List.of("waited at rest", "a wait was interrupted", "a wait was over", "a take was cancelled",
                "a value came before the take was cancelled", "a taker has got the failure",
                "a refill was tried again", "the reserve was closed", "values were left over",
                "full at the end");
    }

    /** A reserve, what has become of its values, and what its refill does. */
    private static final class Crew {
        final Play play;
        final int least;
        final int most;
        final boolean triesAgain;
        final boolean mayEnd;
        final int failing;
        /** From this value on, each refill fails. */
        final int last;
        final Reserve<Integer> reserve;
        final Set<Integer> taken = new HashSet<>();
        final Set<Integer> left = new HashSet<>();
        final Semaphore gone = new Semaphore(0);
        int working = THREADS;
        int made;
        int failures;
        boolean isRefilling;
        boolean isClosing;

        Crew(Play play, ActorScope scope) {
            this.play = play;
            least = play.upTo(2);
            most = least + play.random.nextInt(3);
            triesAgain = play.chance(40);
            failing = play.chance(50) ? 0 : 30;
            last = play.chance(25) ? play.random.nextInt(6) : Integer.MAX_VALUE;
            var policy = play.random.nextInt(5);
            mayEnd = policy == 0;
            var options = ReserveOptions.of(least, most).withActors(builder -> with(builder, policy));
            reserve = Reserve.open(scope, "values",
                    triesAgain ? options.withBackoff(new Backoff(Play.MILLI, Play.MILLI, 0)) : options,
                    this::refill, value -> {
                        play.check(left.add(value), "left over twice: " + value);
                        play.pause();
                    });
        }

        private static ActorBuilder with(ActorBuilder builder, int policy) {
            return switch (policy) {
                case 0 -> builder.onFailure(FailurePolicy.stop());
                case 1, 2 -> builder.onFailure(FailurePolicy.restart(1_000, Duration.ofMinutes(1)));
                default -> builder.onFailure(FailurePolicy.resume());
            };
        }

        private List<Integer> refill(int missing) throws InterruptedException {
            play.check(!isRefilling, "two refills at a time");
            play.check(missing >= 1 && missing <= most, missing + " are missing of " + most);
            isRefilling = true;
            try {
                play.pause();
                if (play.chance(30)) {
                    play.rest();
                }
                if (made >= last || play.chance(failing)) {
                    failures++;
                    throw new IllegalStateException("as wanted");
                }
                if (failures > 0 && triesAgain) {
                    play.saw("a refill was tried again");
                }
                List<Integer> values = new ArrayList<>();
                for (int count = play.upTo(missing); count > 0; count--) {
                    values.add(made++);
                }
                play.pause();
                return values;
            } finally {
                isRefilling = false;
            }
        }

        void take(int value) {
            play.check(value < made && taken.add(value), "not made, or taken twice: " + value);
            play.check(reserve.size() <= most, reserve.size() + " values, where " + most + " may be");
        }

        /** Nothing can go on but the clock. Returns whether there is more to look at. */
        boolean look() {
            if (isClosing || (mayEnd && failures > 0)) {
                return false;
            }
            if (!isRefilling) {
                play.check(reserve.size() == 0 || reserve.waiting() == 0,
                        "threads wait beside values: " + reserve);
                play.check(reserve.waiting() == 0 || (triesAgain && failures > 0),
                        "nothing is refilled for those who wait: " + reserve);
                play.check(reserve.size() >= least || failures > 0, "too few values: " + reserve);
                play.check(made == taken.size() + left.size() + reserve.size(), made + " values were made, "
                        + taken + " are taken, " + left + " were left over, " + reserve);
            }
            if (reserve.waiting() > 0) {
                play.saw("waited at rest");
            }
            if (working == 0 && reserve.size() == most) {
                play.saw("full at the end");
            }
            return working > 0;
        }

        /** Called by a thread that has taken what it wants. */
        void leave() {
            working--;
            gone.release();
        }
    }

    @Override
    public void play(Play play) {
        WorkProbe.marks(Interleave::here);
        // What the reserve sends to its actor is no message of the play.
        var scope = ActorSystem.configure("values").time(play.schedule.time()).strategy(play.elsewhere())
                .listener(event -> {
                }).open();
        var crew = new Crew(play, scope);
        play.repeat("taker", THREADS, ROUNDS, () -> take(crew), crew::leave);
        if (play.chance(30)) {
            play.spawn("closer", () -> {
                giveTime(play, 40);
                crew.isClosing = true;
                crew.reserve.stop(play.chance(50) ? Duration.ZERO : Duration.ofMinutes(1));
                play.saw("the reserve was closed");
            });
        }
        play.whenQuiet(crew::look);
        play.spawn("last", () -> {
            crew.gone.acquire(THREADS);
            play.rest(); // the auditor has looked meanwhile
            crew.isClosing = true;
            scope.close();
        });
        play.ledger.atTheEnd(() -> {
            if (!crew.left.isEmpty()) {
                play.saw("values were left over");
            }
            play.check(crew.working == 0, crew.working + " threads have not ended");
            play.check(crew.made == crew.taken.size() + crew.left.size(),
                    crew.made + " values were made, " + crew.taken + " are taken, " + crew.left
                            + " left over");
            play.check(crew.left.stream().noneMatch(crew.taken::contains),
                    "taken and left over: " + crew.taken + ", " + crew.left);
        });
    }

    private static void take(Crew crew) throws InterruptedException {
        var play = crew.play;
        // A wait without an end is for a reserve that goes on, or tells its failures.
        var endless = !crew.triesAgain || crew.last == Integer.MAX_VALUE;
        var way = play.random.nextInt(4);
        try {
            var value = switch (way) {
                case 0 -> Optional.of(crew.reserve.take(Play.MILLI));
                case 1 -> crew.reserve.tryTake();
                case 2 -> take(crew, !endless || play.chance(50));
                default -> takeLater(crew, !endless || play.chance(60));
            };
            value.ifPresent(crew::take);
        } catch (InterruptedException interrupt) {
            play.check(way == 2, "interrupted by nobody");
            play.saw("a wait was interrupted");
        } catch (AskTimeoutException late) {
            play.check(way == 0, "no limit: " + late);
            play.saw("a wait was over");
        } catch (RefillFailedException failed) {
            play.check(!crew.triesAgain && (crew.failures > 0 || crew.isClosing), "failed: " + failed);
            play.saw("a taker has got the failure");
        } catch (ActorStoppedException ended) {
            play.check(crew.isClosing || (crew.mayEnd && crew.failures > 0), "ended early: " + ended);
        }
    }

    private static Optional<Integer> take(Crew crew, boolean isInterrupted) throws InterruptedException {
        var isOver = new boolean[1];
        if (isInterrupted) {
            var thread = Thread.currentThread();
            crew.play.spawn("interrupter", () -> {
                giveTime(crew.play, 12);
                if (!isOver[0]) {
                    thread.interrupt();
                }
            });
        }
        try {
            return Optional.of(crew.reserve.take());
        } finally {
            isOver[0] = true;
            Thread.interrupted(); // it may come when the value is there
        }
    }

    private static Optional<Integer> takeLater(Crew crew, boolean isCancelled) {
        var play = crew.play;
        var value = crew.reserve.takeLater();
        if (isCancelled) {
            play.spawn("canceller", () -> {
                giveTime(play, 12);
                play.saw(value.cancel(false) ? "a take was cancelled"
                        : "a value came before the take was cancelled");
            });
        }
        try {
            return Optional.of(value.join());
        } catch (CancellationException cancelled) {
            return Optional.empty();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    private static void giveTime(Play play, int most) throws InterruptedException {
        if (play.chance(30)) {
            play.rest();
        }
        for (int pauses = play.random.nextInt(most); pauses > 0; pauses--) {
            play.pause();
        }
    }
}
