package io.fibry.internal.scenario;

import io.fibry.FailurePolicy;
import io.fibry.event.Escalated;
import java.time.Duration;
import java.util.List;

/** An actor fails and is restarted after pauses, while others send and somebody stops it. */
final class Restarts implements Scenario {
    @Override
    public String name() {
        return "restarts";
    }

    @Override
    public List<String> sometimes() {
        return List.of("restarted", "stopped in a pause", "lost: STOPPED_BEFORE_TURN", "lost: STOPPED",
                "restarted too often");
    }

    /** If nothing else goes on, the clock of a play moves to the next timer. */
    private static final Duration AGES = Duration.ofHours(1);

    private static final class State {
        int handler;
        boolean failed;
    }

    @Override
    public void play(Play play) {
        var subject = new Subject(play).endsByItself();
        var made = new State();
        var pauses = play.chance(70);
        var restart = FailurePolicy.restart(play.upTo(4), Duration.ofSeconds(1));
        var goesOnByItself = play.chance(50);
        var pause = goesOnByItself ? Play.MILLI : AGES;
        var policy = pauses ? restart.withBackoff(pause, pause.multipliedBy(2), 0) : restart;
        play.scope.listen(event -> {
            if (event instanceof Escalated) {
                play.saw("restarted too often");
            }
        });
        subject.makeFrom(play.anonymous().onFailure(policy), () -> {
            made.handler++;
            made.failed = false;
            if (made.handler > 1) {
                play.saw("restarted");
            }
            var mine = made.handler;
            return (context, message) -> {
                play.check(mine == made.handler && !made.failed, "a handler that has failed was called");
                if (message.number % 2 == 0) {
                    made.failed = true;
                    throw new IllegalStateException("even");
                }
            };
        });
        for (int i = 0; i < 2; i++) {
            play.sender("sender" + i, 4, subject);
        }
        if (pauses && goesOnByItself) {
            play.clock(5);
        }
        play.spawn("stopper", () -> {
            for (int n = play.random.nextInt(40); n > 0; n--) {
                Thread.yield();
            }
            var time = play.schedule.time();
            var waits = time.pending() > 0;
            var before = time.nanoTime();
            subject.stop();
            subject.waitForExit();
            play.check(time.nanoTime() - before < AGES.toNanos(), "the end has waited for a pause");
            if (waits) {
                play.saw("stopped in a pause");
            }
        });
    }
}
