package io.fibry.internal.scenario;

import io.fibry.AskCycleException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;

/** Actors with small mailboxes that block their senders send to each other and ask each other: none hangs. */
final class BlockCycle implements Scenario {
    @Override
    public String name() {
        return "block-cycle";
    }

    @Override
    public List<String> sometimes() {
        return List.of("lost: BLOCK_CYCLE", "an ask cycle", "answered", "a blocked sender got in");
    }

    @Override
    public void play(Play play) {
        var subjects = new ArrayList<Subject>();
        var mailbox = MailboxPolicy.bounded(1, OverflowPolicy.block());
        for (int i = 0; i < 3; i++) {
            var self = new Subject(play);
            subjects.add(self);
            var name = "actor" + i;
            self.make(play.anonymous().strategy(play.elsewhere()).mailbox(mailbox), (context, message) -> {
                for (int n = 0; n < 2 && message.number > 0; n++) {
                    var next = subjects.get(play.random.nextInt(subjects.size()));
                    forward(play, next, new Msg(name + "-" + self.handled + "-" + n, message.number - 1));
                }
            });
        }
        for (int i = 0; i < 3; i++) {
            var sender = "sender" + i;
            var first = subjects.get(i);
            play.spawn(sender, () -> {
                for (int n = 0; n < 2; n++) {
                    play.pause();
                    first.send(new Msg(sender + "-" + n, 2));
                }
            });
        }
    }

    private static void forward(Play play, Subject next, Msg message) throws Exception {
        if (play.chance(70)) {
            var full = next.actor().mailboxSize() > 0;
            if (next.send(message) && full) {
                play.saw("a blocked sender got in");
            }
            return;
        }
        try {
            next.ask(message).get();
            play.saw("answered");
        } catch (AskCycleException e) {
            play.saw("an ask cycle");
        } catch (ExecutionException e) {
            play.saw("failed: " + e.getCause().getClass().getSimpleName());
        }
    }
}
