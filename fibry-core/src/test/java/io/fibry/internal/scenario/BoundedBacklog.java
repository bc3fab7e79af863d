package io.fibry.internal.scenario;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Threads send to an actor with a bounded mailbox that is about to get a chunk, has one, or has one that is almost full. The
 * mailbox may be full as well, its front may be taken by senders, and the actor becomes idle in between, is stopped, or
 * becomes idle for good.
 */
final class BoundedBacklog implements Scenario {
    /** After so many messages the next one begins a chunk; after the greater numbers that chunk is nearly full. */
    private static final List<Integer> BEFORE = List.of(13, 14, 15, 16, 30, 44, 45, 46, 47);
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
        var before = BEFORE.get(play.random.nextInt(BEFORE.size()));
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
                    if (play.chance(3)) {
                        Thread.currentThread().interrupt(); // harms neither the next message nor a sender whose thread it is
                    }
                });
        var begin = new CompletableFuture<@Nullable Void>();
        play.spawn("first", () -> {
            for (int i = 0; i < before; i++) {
                subject.send(new Msg("first", i));
            }
            begin.complete(null);
        });
        var senders = play.upTo(3);
        for (int i = 0; i < senders; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                begin.get();
                for (int n = 0; n < 5; n++) {
                    play.pause();
                    var message = new Msg(sender, n);
                    if (play.chance(20)) {
                        subject.askFor(message);
                    } else {
                        subject.send(message);
                    }
                    Bounded.check(play, subject, capacity);
                }
            });
        }
        if (play.chance(60)) {
            play.spawn("stopper", () -> {
                begin.get();
                for (int pauses = play.random.nextInt(40); pauses > 0; pauses--) {
                    Thread.yield();
                }
                subject.stop();
            });
            if (play.chance(50)) {
                play.spawn("last-stopper", () -> {
                    begin.get();
                    subject.stop(Duration.ofMillis(5));
                });
            }
        } else if (policy instanceof OverflowPolicy.Block) {
            play.ledger.atTheEnd(() -> {
                play.check(subject.handled == before + 5 * senders, "handled only " + subject.handled);
                play.saw("all were handled");
            });
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
