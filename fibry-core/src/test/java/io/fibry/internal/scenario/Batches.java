package io.fibry.internal.scenario;

import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.function.Handler;
import io.fibry.message.BatchOptions;
import java.time.Duration;
import java.util.List;

/** An actor handles batches that end by their size or their time, fails and is restarted, while others send and stop it. */
final class Batches implements Scenario {
    private static final int MOST = 3;

    @Override
    public String name() {
        return "batch";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a full batch", "a batch that was not full", "a batch has failed", "expired",
                "lost: STOPPED_BEFORE_TURN", "lost: STOPPED");
    }

    @Override
    public void play(Play play) {
        var subject = new Subject(play).endsByItself();
        var builder = play.chance(30)
                ? play.anonymous().mailbox(MailboxPolicy.bounded(2, OverflowPolicy.block()))
                : play.anonymous();
        if (play.chance(40)) {
            builder = builder.onFailure(FailurePolicy.restart(100, Duration.ofSeconds(1)));
        }
        if (play.chance(30)) {
            builder = builder.stopWhenIdle(Play.MILLI);
        }
        Handler<List<Msg>> handler = batch -> handle(play, subject, batch);
        var options = BatchOptions.<Msg>of(MOST, Play.MILLI.multipliedBy(2));
        subject.watch(builder.keepFailedMessages().newBatchActor(
                play.chance(40) ? options.groupedBy(message -> message.sender) : options, handler));
        for (int i = 0; i < 3; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                for (int n = 0; n < 4; n++) {
                    play.pause();
                    switch (play.random.nextInt(4)) {
                        case 0 -> subject.ask(new Msg(sender, n));
                        case 1 -> subject.askFor(new Msg(sender, n));
                        default -> subject.send(new Msg(sender, n));
                    }
                }
            });
        }
        play.clock(play.upTo(5));
        if (play.chance(60)) {
            play.spawn("stopper", () -> {
                for (int pauses = play.random.nextInt(30); pauses > 0; pauses--) {
                    Thread.yield();
                }
                subject.stop();
            });
        }
    }

    private static void handle(Play play, Subject subject, List<Msg> batch) {
        play.check(!batch.isEmpty() && batch.size() <= MOST, "a batch of " + batch.size());
        play.saw(batch.size() == MOST ? "a full batch" : "a batch that was not full");
        var fails = play.chance(20);
        for (var message : batch) {
            subject.enter(message);
            play.pause();
            if (fails) {
                subject.fail(message);
            } else {
                subject.leave(message);
            }
        }
        if (fails) {
            play.saw("a batch has failed");
            throw new IllegalStateException("as wanted");
        }
    }
}
