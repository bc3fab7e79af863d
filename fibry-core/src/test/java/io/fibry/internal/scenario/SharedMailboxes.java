package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.SharedMailbox;
import io.fibry.SharedMailbox.HandOver;
import io.fibry.Stereotypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Threads send to a mailbox that two actors share, hand its messages over, or leave them, and stop an actor or the
 * mailbox. One of the actors takes messages itself when it has none.
 */
final class SharedMailboxes implements Scenario {
    @Override
    public String name() {
        return "shared-mailbox";
    }

    @Override
    public List<String> sometimes() {
        return List.of("handed over", "left", "empty", "an actor had ended", "taken by an idle actor",
                "taken by an actor that may", "expired",
                "lost: STOPPED_BEFORE_TURN", "lost: STOPPED", "lost: DROPPED_OLDEST", "lost: FULL");
    }

    @Override
    public void play(Play play) {
        var workers = new ArrayList<Subject>();
        for (int i = 0; i < 2; i++) {
            workers.add(new Subject(play).endsByItself().make(play.anonymous(), (context, message) -> {
            }));
        }
        SharedMailbox<Msg, Integer> mailbox = Stereotypes
                .with(play.anonymous().mailbox(MailboxPolicy.bounded(3,
                        play.chance(50) ? OverflowPolicy.dropOldest() : OverflowPolicy.reject())))
                .sharedMailbox();
        var hungry = workers.getFirst().actor();
        var takes = play.chance(50);
        mailbox.takenBy(hungry, () -> {
            var may = takes && play.chance(75);
            if (may && mailbox.waiting() > 0) {
                play.saw("taken by an actor that may");
            }
            return may;
        }, () -> {
            if (mailbox.handOver(message -> Optional.of(hungry)) == HandOver.HANDED) {
                play.saw("taken by an idle actor");
            }
            return false;
        });
        play.ledger.alsoCounts(mailbox::counters);
        play.ledger.atTheEnd(() -> play.check(mailbox.waiting() == 0, "messages are left: " + mailbox));
        for (int i = 0; i < 2; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                for (int n = 0; n < 3; n++) {
                    play.pause();
                    send(play, mailbox, new Msg(sender, -1));
                }
            });
            play.spawn("hander" + i, () -> {
                for (int n = 0; n < 4; n++) {
                    play.pause();
                    handOver(play, mailbox, workers.get(play.random.nextInt(2)).actor());
                }
            });
        }
        if (play.chance(40)) {
            play.clock(2);
        }
        if (play.chance(50)) {
            play.spawn("stopper", () -> {
                play.pause();
                workers.getLast().stop();
            });
        }
        if (play.chance(50)) {
            play.spawn("closer", () -> {
                for (int pauses = play.random.nextInt(20); pauses > 0; pauses--) {
                    play.pause();
                }
                mailbox.close();
            });
        }
    }

    private static void send(Play play, SharedMailbox<Msg, Integer> mailbox, Msg message) {
        play.ledger.offered.add(message);
        switch (play.random.nextInt(3)) {
            case 0 -> message.answer = mailbox.sendMessageReturn(message);
            case 1 -> {
                message.deadline = play.schedule.time().nanoTime() + Play.MILLI.toNanos();
                message.answer = mailbox.ask(message, Play.MILLI);
            }
            default -> mailbox.sendMessage(message);
        }
    }

    private static void handOver(Play play, SharedMailbox<Msg, Integer> mailbox, Actor<Msg, Integer> actor) {
        var leaves = play.chance(30);
        switch (mailbox.handOver(message -> {
            play.pause();
            return leaves ? Optional.empty() : Optional.of(actor);
        })) {
            case HANDED -> play.saw("handed over");
            case EMPTY -> play.saw("empty");
            case LEFT -> play.saw("left");
            case ENDED -> play.saw("an actor had ended");
        }
    }
}
