package io.fibry.internal.scenario;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Senders meet an actor that is being stopped, in every way there is. */
final class SendOrStop implements Scenario {
    @Override
    public String name() {
        return "send-or-stop";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a sender met a closed mailbox",
                "lost: STOPPED",
                "lost: STOPPED_BEFORE_TURN",
                "a stopper ended an idle actor",
                "a stop was forced");
    }

    @Override
    public void play(Play play) {
        var bounded = play.chance(30);
        var builder = bounded
                ? play.anonymous().mailbox(MailboxPolicy.bounded(2, OverflowPolicy.block()))
                : play.anonymous();
        var subject = new Subject(play).make(builder, (context, message) -> {
            if (play.chance(5)) {
                LockSupport.park(); // until somebody forces it
                if (Thread.interrupted()) {
                    throw new InterruptedException("as wanted");
                }
            }
        });
        for (int i = 0; i < 3; i++) {
            play.sender("sender" + i, 3, subject);
        }
        var stoppers = play.upTo(2);
        for (int i = 0; i < stoppers; i++) {
            play.spawn("stopper" + i, () -> {
                for (int pauses = play.random.nextInt(8); pauses > 0; pauses--) {
                    Thread.yield();
                }
                subject.stop();
            });
        }
        play.spawn("waiter", subject::waitForExit);
        if (play.chance(30)) {
            play.spawn("closer", () -> {
                play.pause();
                subject.closeOnExit();
            });
        }
        // A handler that is parked for good is freed by this deadline.
        play.spawn("last-stopper", () -> subject.stop(Duration.ofMillis(5)));
    }
}
