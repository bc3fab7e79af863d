package io.fibry.internal.scenario;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Threads that send to an actor whose mailbox is about to get a chunk, has one, or has one that is almost full, and that stop
 * the actor.
 */
final class Backlog {
    /** After so many messages the next one begins a chunk; after the greater numbers that chunk is nearly full. */
    private static final List<Integer> BEFORE = List.of(13, 14, 15, 16, 30, 44, 45, 46, 47);
    private static final int EACH = 5;

    private final Play play;
    private final int before;
    private final CompletableFuture<@Nullable Void> begin = new CompletableFuture<>();

    Backlog(Play play) {
        this.play = play;
        before = BEFORE.get(play.random.nextInt(BEFORE.size()));
    }

    /**
     * Starts the senders, which look at each of their messages after its send. Some messages are asks. Returns how many messages
     * there are in all.
     */
    int send(Subject subject, Consumer<Msg> asking, Runnable afterEach) {
        return send(subject, 20, asking, afterEach);
    }

    /** As the other method, with so many asks of a hundred messages. */
    int send(Subject subject, int asks, Consumer<Msg> asking, Runnable afterEach) {
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
                for (int n = 0; n < EACH; n++) {
                    play.pause();
                    var message = new Msg(sender, n);
                    if (play.chance(asks)) {
                        asking.accept(message);
                    } else {
                        subject.send(message);
                    }
                    afterEach.run();
                }
            });
        }
        return before + EACH * senders;
    }

    /** Starts threads that stop the actor, or none; returns whether there are any. */
    boolean mayStop(Subject subject) {
        if (!play.chance(60)) {
            return false;
        }
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
        return true;
    }

    /** Lets the handler interrupt its own thread now and then, which harms neither the next message nor a sender whose thread it is. */
    void mayInterrupt() {
        if (play.chance(3)) {
            Thread.currentThread().interrupt();
        }
    }

    /** Demands that the actor has handled all that was sent. */
    void demandAll(Subject subject, int sent) {
        play.ledger.atTheEnd(() -> {
            play.check(subject.handled == sent, "handled only " + subject.handled);
            play.saw("all were handled");
        });
    }
}
