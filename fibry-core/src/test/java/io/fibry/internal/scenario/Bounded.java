package io.fibry.internal.scenario;

import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.util.List;

/** More is sent to a small mailbox than it holds, and it may be stopped meanwhile. */
final class Bounded implements Scenario {
    @Override
    public String name() {
        return "bounded";
    }

    @Override
    public List<String> sometimes() {
        return List.of("lost: DROPPED_OLDEST",
                "lost: DROPPED_NEWEST",
                "lost: FULL",
                "lost: BLOCK_TIMEOUT",
                "lost: SENDER_INTERRUPTED",
                "lost: STOPPED",
                "lost: STOPPED_BEFORE_TURN",
                "the mailbox was full");
    }

    @Override
    public void play(Play play) {
        var capacity = play.upTo(2);
        var policy = aPolicy(play);
        var subject = new Subject(play);
        subject.make(play.anonymous().mailbox(MailboxPolicy.bounded(capacity, policy)),
                (context, message) -> {
                    check(play, subject, capacity);
                    var depth = context.self().mailboxSize();
                    play.check(depth <= capacity + subject.pills,
                            depth + " messages wait where " + capacity + " may");
                    if (depth == capacity) {
                        play.saw("the mailbox was full");
                    }
                    Thread.yield();
                });
        for (int i = 0; i < 4; i++) {
            var sender = "sender" + i;
            var thread = new Thread[1];
            play.spawn(sender, () -> {
                thread[0] = Thread.currentThread();
                for (int n = 0; n < 3; n++) {
                    play.pause();
                    send(play, subject, new Msg(sender, n));
                    check(play, subject, capacity);
                }
            });
            if (policy instanceof OverflowPolicy.Block && play.chance(20)) {
                play.spawn("interrupter", () -> {
                    Thread.yield();
                    Thread.yield();
                    if (thread[0] != null) {
                        thread[0].interrupt();
                    }
                });
            }
        }
        if (play.chance(50)) {
            play.clock(2);
        }
        if (play.chance(50)) {
            play.spawn("stopper", () -> {
                for (int pauses = play.random.nextInt(20); pauses > 0; pauses--) {
                    Thread.yield();
                }
                subject.stop();
            });
        }
    }

    /** Counts for itself what waits: the mailbox's own count may be what is wrong. */
    static void check(Play play, Subject subject, int capacity) {
        var waiting =
                play.ledger.offered.stream().filter(m -> m.accepted && !m.begun && m.reported == 0).toList();
        // What was taken at the end does not wait any more, but is not reported yet.
        var atTheEnd = subject.pills > 0 ? 1 : 0;
        play.check(waiting.size() <= capacity + atTheEnd, "more than " + capacity + " wait: " + waiting);
    }

    private static OverflowPolicy aPolicy(Play play) {
        return switch (play.random.nextInt(8)) {
            case 0 -> OverflowPolicy.dropNewest();
            case 1, 2 -> OverflowPolicy.dropOldest();
            case 3 -> OverflowPolicy.reject();
            case 4 -> OverflowPolicy.fail();
            case 5, 6 -> OverflowPolicy.block(Play.MILLI);
            default -> OverflowPolicy.block();
        };
    }

    private static void send(Play play, Subject subject, Msg message) {
        try {
            if (play.chance(80)) {
                subject.send(message);
            } else {
                subject.askFor(message);
            }
        } catch (MailboxFullException e) {
            // what the policy to fail is for; it is reported as well
        }
    }
}
