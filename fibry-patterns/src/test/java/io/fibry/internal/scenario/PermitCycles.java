package io.fibry.internal.scenario;

import io.fibry.ActorScope;
import io.fibry.AskCycleException;
import io.fibry.internal.memory.Interleave;
import io.fibry.work.ActorSemaphore;
import io.fibry.work.HeldPermits;
import io.fibry.work.SemaphoreOptions;
import io.fibry.work.WorkProbe;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * Threads acquire permits of two semaphores while they hold others, in any order and number. One that is refused gives back what
 * it holds. So all of them end, without a lease and without a limit; and one that holds nothing is never refused.
 */
final class PermitCycles implements Scenario {
    private static final int THREADS = 3;
    private static final int ROUNDS = 3;

    @Override
    public String name() {
        return "permit-cycles";
    }

    @Override
    public List<String> sometimes() {
        return List.of("was refused", "held all that it wanted", "a wait was over");
    }

    /** The semaphores, and how many permits each of them has. */
    private static final class Crew {
        final Play play;
        final List<ActorSemaphore> semaphores = new ArrayList<>();
        final List<Integer> permits = new ArrayList<>();
        final Semaphore gone = new Semaphore(0);

        Crew(Play play, ActorScope scope) {
            this.play = play;
            for (var name : List.of("a", "b")) {
                permits.add(play.upTo(3));
                semaphores.add(WorkProbe.semaphore(scope, name, SemaphoreOptions.of(permits.getLast()),
                        play.elsewhere()));
            }
        }
    }

    @Override
    public void play(Play play) {
        WorkProbe.marks(Interleave::here);
        // The requests and releases are no messages of the play.
        var scope = ActorScope.configure("permits").time(play.schedule.time()).listener(event -> {
        }).open();
        var crew = new Crew(play, scope);
        play.repeat("taker", THREADS, ROUNDS, () -> takeSeveral(crew), crew.gone::release);
        play.spawn("last", () -> {
            crew.gone.acquire(THREADS);
            for (int i = 0; i < crew.semaphores.size(); i++) {
                var semaphore = crew.semaphores.get(i);
                play.rest();
                play.check(semaphore.available() == crew.permits.get(i) && semaphore.waiting() == 0,
                        "in the end: " + semaphore);
            }
            scope.close();
        });
    }

    private static void takeSeveral(Crew crew) throws InterruptedException {
        var play = crew.play;
        var mine = new ArrayList<HeldPermits>();
        try {
            for (int left = play.upTo(3); left > 0; left--) {
                take(crew, mine.isEmpty()).ifPresent(mine::add);
                play.pause();
            }
            play.saw("held all that it wanted");
        } catch (AskCycleException cycle) {
            play.saw("was refused");
            play.check(!mine.isEmpty(),
                    "refused though it holds nothing that another thread could wait for: " + cycle);
        } finally {
            mine.forEach(HeldPermits::close);
        }
    }

    private static Optional<HeldPermits> take(Crew crew, boolean isFirst) throws InterruptedException {
        var play = crew.play;
        var which = play.random.nextInt(2);
        var semaphore = crew.semaphores.get(which);
        int count = play.upTo(crew.permits.get(which));
        if (!isFirst && play.chance(15)) {
            var held = semaphore.tryAcquire(count, Play.MILLI);
            if (held.isEmpty()) {
                play.saw("a wait was over");
            }
            return held;
        }
        return Optional.of(semaphore.acquire(count));
    }
}
