package io.fibry.internal.scenario;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.util.List;

/**
 * Threads send to an actor with a bounded mailbox that is about to get a chunk, has one, or has one that is almost full. The
 * mailbox may be full as well, its front may be taken by senders, and the actor becomes idle in between, is stopped, or
 * becomes idle for good.
 */
final class BoundedBacklog implements Scenario {
    private static final List<Integer> CAPACITY = List.of(2, 3, 8, 20, 60);

    @Override
    public String name() {
        return "bounded-backlog";
    }

    @Override
    public List<String> sometimes() {
        return List.of("another turn",
                "one turn for two messages",
                "lost: DROPPED_OLDEST",
                "lost: DROPPED_NEWEST",
                "lost: FULL",
                "lost: STOPPED",
                "lost: STOPPED_BEFORE_TURN",
                "a stop was forced",
                "the mailbox was full",
                "all were handled");
    }

    @Override
    public void play(Play play) {
        var backlog = new Backlog(play);
        var capacity = CAPACITY.get(play.random.nextInt(CAPACITY.size()));
        var policy = aPolicy(play);
        var subject = new Subject(play);
        subject.make(play.anonymous().mailbox(MailboxPolicy.bounded(capacity, policy)),
                (context, message) -> {
                    Bounded.check(play, subject, capacity);
                    var depth = context.self().mailboxSize();
                    play.check(depth <= capacity + subject.pills,
                            depth + " messages wait where " + capacity + " may");
                    if (depth == capacity) {
                        play.saw("the mailbox was full");
                    }
                    backlog.mayInterrupt();
                });
        var sent = backlog.send(subject, subject::askFor, () -> Bounded.check(play, subject, capacity));
        if (!backlog.mayStop(subject) && policy instanceof OverflowPolicy.Block) {
            backlog.demandAll(subject, sent);
        }
    }

    private static OverflowPolicy aPolicy(Play play) {
        return switch (play.random.nextInt(6)) {
            case 0 -> OverflowPolicy.dropNewest();
            case 1, 2 -> OverflowPolicy.dropOldest();
            case 3 -> OverflowPolicy.reject();
            default -> OverflowPolicy.block();
        };
    }
}
