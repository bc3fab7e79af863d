package io.fibry.internal.scenario;

import io.fibry.internal.engine.EngineProbe;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The executor refuses turns, some of which it runs all the same, while others send, ask and stop. */
final class Refused implements Scenario {
    @Override
    public String name() {
        return "refused";
    }

    @Override
    public List<String> sometimes() {
        return List.of("lost: STRATEGY_REFUSED", "lost: STOPPED", "lost: STOPPED_BEFORE_TURN",
                "another turn");
    }

    @Override
    public void play(Play play) {
        var threads = play.schedule.executor();
        Executor moody = turn -> {
            if (play.chance(60)) {
                threads.execute(turn);
                return;
            }
            if (play.chance(30)) {
                threads.execute(turn);
            }
            throw new RejectedExecutionException("as the scenario wants it");
        };
        var subject = new Subject(play).endsByItself();
        subject.make(play.anonymous().strategy(EngineProbe.fibersOn(moody)), (context, message) -> {
        });
        for (int i = 0; i < 2; i++) {
            play.sender("sender" + i, 3, subject);
        }
        play.spawn("asker", () -> {
            for (int n = 0; n < 2; n++) {
                play.pause();
                subject.ask(new Msg("asker", n));
            }
        });
        if (play.chance(70)) {
            play.spawn("stopper", () -> {
                for (int pauses = play.random.nextInt(20); pauses > 0; pauses--) {
                    Thread.yield();
                }
                subject.stop();
            });
        }
    }
}
