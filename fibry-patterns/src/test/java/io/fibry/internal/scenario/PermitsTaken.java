package io.fibry.internal.scenario;

import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.internal.memory.Interleave;
import io.fibry.work.ActorSemaphore;
import io.fibry.work.HeldPermits;
import io.fibry.work.SemaphoreOptions;
import io.fibry.work.TooManyWaitingException;
import io.fibry.work.WorkProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;

/**
 * Threads take one or several permits of a semaphore in each of the ways there are, hold them for a while and give them back,
 * while waits are interrupted and cancelled, leases end, and the semaphore is closed. Whenever nothing can go on, no request waits
 * for permits that are there, and in the end all of them are there.
 */
final class PermitsTaken implements Scenario {
    private static final int THREADS = 4;
    private static final int ROUNDS = 3;

    @Override
    public String name() {
        return "semaphore";
    }

    @Override
    public List<String> sometimes() {
        return List.of("waited at rest", "all permits were out", "a wait was interrupted",
                "a wait was over", "a request was cancelled", "permits came before the request was cancelled",
                "too many waited", "a lease was over", "the semaphore was closed", "all permits are back");
    }

    /** A semaphore, and what the threads of the play have of it. */
    private static final class Crew {
        final Play play;
        final ActorSemaphore semaphore;
        final int permits;
        final boolean isLeased;
        final boolean isLimited;
        final List<HeldPermits> taken = new ArrayList<>();
        /** The sizes of the requests that are not over. */
        final List<Integer> asked = new ArrayList<>();
        final Semaphore gone = new Semaphore(0);
        int working = THREADS;
        boolean isClosing;

        Crew(Play play, ActorScope scope) {
            this.play = play;
            permits = play.upTo(3);
            isLeased = play.chance(25);
            isLimited = play.chance(25);
            var options = SemaphoreOptions.of(permits);
            options = isLeased ? options.withLease(Play.MILLI) : options;
            options = isLimited ? options.withWaiting(1) : options;
            semaphore = WorkProbe.semaphore(scope, "permits", options, play.elsewhere());
        }

        int out() {
            return taken.stream().filter(HeldPermits::isHeld).mapToInt(HeldPermits::count).sum();
        }

        void checkOut() {
            play.check(out() <= permits, out() + " of " + permits + " permits are out");
            if (out() == permits) {
                play.saw("all permits were out");
            }
        }

        /** Nothing can go on but the clock. Returns whether there is more to look at. */
        boolean look() {
            if (isClosing) {
                return false;
            }
            var free = semaphore.available();
            play.check(free + out() == permits,
                    free + " permits are free and " + out() + " out, of " + permits);
            play.check(semaphore.waiting() == asked.size(),
                    semaphore + ", but these are asked for: " + asked);
            if (!asked.isEmpty()) {
                play.saw("waited at rest");
                play.check(asked.stream().anyMatch(count -> count > free),
                        free + " permits are free, and all these wait: " + asked);
            }
            if (working == 0) {
                play.saw("all permits are back");
            }
            return working > 0;
        }

        /** Called by a thread that has taken what it wants. */
        void leave() {
            working--;
            gone.release();
        }

        void got(HeldPermits held) throws InterruptedException {
            taken.add(held);
            checkOut();
            if (play.chance(40)) {
                play.rest();
            }
            play.pause();
            checkOut();
            if (!held.isHeld()) {
                play.check(isLeased, "taken away: " + held);
                play.saw("a lease was over");
            }
            if (play.chance(20)) {
                play.spawn("second", held::close);
            }
            held.close();
            play.check(!held.isHeld(), "held after it was closed");
        }
    }

    @Override
    public void play(Play play) {
        WorkProbe.marks(Interleave::here);
        // The requests and releases are no messages of the play.
        var scope = ActorScope.configure("permits").time(play.schedule.time()).listener(event -> {
        }).open();
        var crew = new Crew(play, scope);
        play.repeat("taker", THREADS, ROUNDS, () -> take(crew), crew::leave);
        if (play.chance(25)) {
            play.spawn("closer", () -> {
                for (int pauses = play.random.nextInt(40); pauses > 0; pauses--) {
                    play.pause();
                }
                if (play.chance(50)) {
                    play.rest();
                }
                crew.isClosing = true;
                crew.semaphore.stop(play.chance(50) ? Duration.ZERO : Duration.ofMinutes(1));
                play.saw("the semaphore was closed");
            });
        }
        play.whenQuiet(crew::look);
        play.ledger.atTheEnd(() -> play.check(crew.working == 0 && crew.asked.isEmpty(),
                crew.working + " threads have not ended, and these wait: " + crew.asked));
        play.spawn("last", () -> {
            crew.gone.acquire(THREADS);
            play.rest(); // the auditor has looked meanwhile
            crew.isClosing = true;
            scope.close();
        });
    }

    private static void take(Crew crew) throws InterruptedException {
        var play = crew.play;
        Integer count = play.upTo(crew.permits);
        var way = play.random.nextInt(4);
        if (way != 1) {
            crew.asked.add(count);
        }
        Optional<HeldPermits> held = Optional.empty();
        try {
            held = switch (way) {
                case 0 -> acquire(crew, count);
                case 1 -> crew.semaphore.tryAcquire(count);
                case 2 -> crew.semaphore.tryAcquire(count, Play.MILLI);
                default -> request(crew, count);
            };
            if (way == 2 && held.isEmpty()) {
                play.saw("a wait was over");
            }
        } catch (InterruptedException interrupt) {
            play.check(way == 0, "interrupted by nobody");
            play.saw("a wait was interrupted");
        } catch (ActorStoppedException ended) {
            play.check(crew.isClosing, "ended early: " + ended);
        } catch (TooManyWaitingException tooMany) {
            play.check(crew.isLimited, "refused: " + tooMany);
            play.saw("too many waited");
        } finally {
            if (way != 1) {
                crew.asked.remove(count);
            }
        }
        if (held.isPresent()) {
            play.check(held.get().count() == count, "asked for " + count + ", has got " + held.get());
            crew.got(held.get());
        }
    }

    private static Optional<HeldPermits> acquire(Crew crew, int count) throws InterruptedException {
        var play = crew.play;
        var isOver = new boolean[1];
        if (play.chance(50)) {
            var thread = Thread.currentThread();
            play.spawn("interrupter", () -> {
                giveTime(play);
                if (!isOver[0]) {
                    thread.interrupt();
                }
            });
        }
        try {
            return Optional.of(crew.semaphore.acquire(count));
        } finally {
            isOver[0] = true;
            Thread.interrupted(); // it may come when the permits are there
        }
    }

    private static Optional<HeldPermits> request(Crew crew, int count) {
        var play = crew.play;
        var request = crew.semaphore.request(count);
        if (play.chance(60)) {
            play.spawn("canceller", () -> {
                giveTime(play);
                play.saw(request.cancel(false) ? "a request was cancelled"
                        : "permits came before the request was cancelled");
            });
        }
        try {
            return Optional.of(request.join());
        } catch (CancellationException cancelled) {
            return Optional.empty();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    private static void giveTime(Play play) throws InterruptedException {
        if (play.chance(30)) {
            play.rest();
        }
        for (int pauses = play.random.nextInt(12); pauses > 0; pauses--) {
            play.pause();
        }
    }
}
