package io.fibry.internal.scenario;

import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Urgent messages come beside others to an actor that fails, is restarted, becomes idle and is stopped. */
final class Urgents implements Scenario {
    @Override
    public String name() {
        return "urgent";
    }

    @Override
    public List<String> sometimes() {
        return List.of("an urgent message has overtaken another one", "no place for an urgent message",
                "lost: FULL",
                "lost: STOPPED", "lost: STOPPED_BEFORE_TURN", "an urgent message has woken the actor");
    }

    /** The urgent messages that were accepted, and those of them that waited when the last handler ended. */
    private static final class Model {
        final List<Msg> accepted = new ArrayList<>();
        List<Msg> waited = List.of();
        int normalWaiting;

        List<Msg> waiting() {
            return accepted.stream().filter(message -> !message.begun && message.reported == 0).toList();
        }
    }

    @Override
    public void play(Play play) {
        var subject = new Subject(play).endsByItself();
        var model = new Model();
        var builder = play.chance(30)
                ? play.anonymous().mailbox(MailboxPolicy.bounded(3, play.chance(50) ? OverflowPolicy.block()
                        : OverflowPolicy.dropOldest()))
                : play.anonymous();
        if (play.chance(40)) {
            builder = builder.onFailure(FailurePolicy.restart(100, Duration.ofSeconds(1)));
        }
        if (play.chance(30)) {
            builder = builder.stopWhenIdle(Play.MILLI);
        }
        subject.make(builder.urgent(3), (context, message) -> {
            model.waited.forEach(
                    waits -> play.check(waits.begun || waits.reported > 0 || message.sender.startsWith("u"),
                            waits + " was not handled before " + message));
            if (message.sender.startsWith("u")) {
                play.saw(model.normalWaiting > 0 ? "an urgent message has overtaken another one"
                        : "an urgent message has woken the actor");
            } else {
                model.normalWaiting--;
            }
            play.pause();
            model.waited = model.waiting();
            if (play.chance(10)) {
                throw new IllegalStateException("as wanted");
            }
        });
        for (int i = 0; i < 2; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                for (int n = 0; n < 4; n++) {
                    play.pause();
                    if (play.chance(30)) {
                        subject.ask(new Msg(sender, n));
                    } else if (subject.send(new Msg(sender, n))) {
                        model.normalWaiting++;
                    }
                }
            });
        }
        for (int i = 0; i < 2; i++) {
            var sender = "urgent" + i;
            play.spawn(sender, () -> {
                for (int n = 0; n < 4; n++) {
                    play.pause();
                    var message = new Msg(sender, n);
                    if (subject.sendUrgent(message)) {
                        model.accepted.add(message);
                    } else {
                        play.saw("no place for an urgent message");
                    }
                }
            });
        }
        if (play.chance(50)) {
            play.clock(3);
        }
        if (play.chance(60)) {
            play.spawn("stopper", () -> {
                for (int pauses = play.random.nextInt(30); pauses > 0; pauses--) {
                    Thread.yield();
                }
                subject.stop();
            });
        }
    }
}
