package io.fibry.internal.scenario;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.util.List;

/** Senders meet an actor that is about to go idle. */
final class SendOrIdle implements Scenario {
    @Override
    public String name() {
        return "send-or-idle";
    }

    @Override
    public List<String> sometimes() {
        return List.of("another turn",
                "one turn for two messages");
    }

    @Override
    public void play(Play play) {
        var builder = switch (play.random.nextInt(3)) {
            case 0 -> play.anonymous().mailbox(MailboxPolicy.bounded(2, OverflowPolicy.block()));
            case 1 -> play.anonymous().mailbox(MailboxPolicy.bounded(100, OverflowPolicy.reject()));
            default -> play.anonymous();
        };
        var subject = new Subject(play).make(builder, (context, message) -> {
            if (play.chance(20)) {
                Thread.currentThread().interrupt(); // harms neither the next message nor a sender whose thread it is
            }
        });
        var senders = play.upTo(3);
        for (int i = 0; i < senders; i++) {
            play.sender("sender" + i, 4, subject);
        }
        play.spawn("last", () -> {
            play.pause();
            var last = subject.ask(new Msg("last", 0)).get();
            play.check(last == 0, "the answer of another");
        });
    }
}
