package io.fibry.internal.scenario;

import io.fibry.internal.engine.EngineProbe;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/** An actor is stopped by force while its thread goes on to another actor, which must not be interrupted. */
final class ForceOrNext implements Scenario {
    @Override
    public String name() {
        return "force-or-next";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a handler was interrupted", "a stop was forced", "stopped while its thread works");
    }

    @Override
    public void play(Play play) {
        var worker = new Worker(play);
        var strategy = EngineProbe.poolOn(worker::run);
        var forced = new Subject(play);
        forced.make(play.anonymous().strategy(strategy), (context, message) -> {
            Thread.yield();
            if (Thread.interrupted()) {
                play.saw("a handler was interrupted");
                throw new InterruptedException("as wanted");
            }
        });
        var next = new Subject(play);
        next.make(play.anonymous().strategy(strategy), (context, message) -> {
            for (int i = 0; i < 4; i++) {
                Thread.yield();
                play.check(!Thread.currentThread().isInterrupted(),
                        "interrupted for another actor: " + message);
            }
        });
        play.sender("sender0", 4, forced);
        play.sender("sender1", 4, next);
        play.spawn("stopper", () -> {
            for (int pauses = play.random.nextInt(20); pauses > 0; pauses--) {
                Thread.yield();
            }
            if (worker.works) {
                play.saw("stopped while its thread works");
            }
            forced.stop(Duration.ZERO);
        });
    }

    /** One thread for all turns. It ends when there is none. */
    private static final class Worker {
        private final Play play;
        private final Queue<Runnable> turns = new ArrayDeque<>();
        private boolean works;

        Worker(Play play) {
            this.play = play;
        }

        void run(Runnable turn) {
            turns.add(turn);
            if (!works) {
                works = true;
                play.spawn("worker", this::work);
            }
        }

        private void work() {
            for (var turn = turns.poll(); turn != null; turn = turns.poll()) {
                turn.run();
            }
            works = false;
        }
    }
}
