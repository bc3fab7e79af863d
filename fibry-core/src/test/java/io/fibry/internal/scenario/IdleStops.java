package io.fibry.internal.scenario;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import java.util.List;

/** An actor is stopped when it has been idle, while others send to it and perhaps stop it. */
final class IdleStops implements Scenario {
    @Override
    public String name() {
        return "idle-stop";
    }

    @Override
    public List<String> sometimes() {
        return List.of("stopped: IDLE",
                "stopped: EXIT",
                "stopped: POISON_PILL",
                "stopped when idle after some work",
                "lost: STOPPED");
    }

    @Override
    public void play(Play play) {
        var time = play.schedule.time();
        var latest = new long[1];
        var builder = play.chance(30)
                ? play.anonymous().mailbox(MailboxPolicy.bounded(2, OverflowPolicy.block()))
                : play.anonymous();
        var subject = new Subject(play).endsByItself();
        play.scope.listen(event -> {
            if (event instanceof Stopped stopped) {
                play.saw("stopped: " + stopped.reason());
                if (stopped.reason() == Reason.IDLE) {
                    play.check(time.nanoTime() - latest[0] >= Play.MILLI.toNanos(),
                            "stopped as idle after " + (time.nanoTime() - latest[0]) + " ns");
                    if (subject.handled > 0) {
                        play.saw("stopped when idle after some work");
                    }
                }
            }
        });
        subject.make(builder.stopWhenIdle(Play.MILLI), (context, message) -> {
            play.pause();
            latest[0] = time.nanoTime();
        });
        for (int i = 0; i < 3; i++) {
            play.sender("sender" + i, 3, subject);
        }
        play.clock(play.upTo(6));
        if (play.chance(30)) {
            play.spawn("stopper", () -> {
                play.pause();
                subject.stop();
            });
        }
    }
}
