package io.fibry.internal.mailbox;

import io.fibry.internal.actor.Mailbox;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import java.util.ArrayList;
import java.util.List;

/**
 * Does with a mailbox what senders and a turn do with it, one step at a time. A sender that finds it idle
 * leaves its node as the token of a turn; the consumer waits for that, as it waits for a node that has been
 * announced and not been linked.
 */
final class Consumer {
    private final Mailbox mailbox;
    private volatile Node token;
    private boolean running;
    private boolean closed;
    private Node last;

    Consumer(Mailbox mailbox) {
        this.mailbox = mailbox;
    }

    /** What a sender does. */
    String offer(int value) {
        // As Handle.sendMessage: a message goes into a chunk if there is one, and needs no node there.
        if (mailbox instanceof UnboundedCell<?, ?> cell && cell.putMessage(value)) {
            return Mailbox.Offer.QUEUED.name();
        }
        if (mailbox instanceof BoundedCell<?, ?> cell && cell.putMessage(value)) {
            return Mailbox.Offer.QUEUED.name();
        }
        return offer(new MessageNode(value));
    }

    /** Offers and takes so many messages, and stays busy. */
    Consumer after(int messages) {
        for (int n = 0; n < messages; n++) {
            offer(n);
        }
        for (int n = 0; n < messages; n++) {
            take();
        }
        return this;
    }

    /** As {@link #after}, with no more than two that wait. */
    Consumer afterOneByOne(int messages) {
        offer(0);
        for (int n = 1; n < messages; n++) {
            offer(n);
            take();
        }
        take();
        return this;
    }

    String offer(Node node) {
        var offer = mailbox.offer(node);
        if (offer == Mailbox.Offer.WAKE) {
            token = node;
        }
        return offer.name();
    }

    /** The next message; null if there is none, then the mailbox is idle. */
    Integer take() {
        var next = next();
        return next == null ? null : value(next);
    }

    /** The next message that somebody wants, as turns handle no other; null if there is none. */
    Integer takeWanted() {
        var next = next();
        while (next instanceof MessageNode message && message.isOver()) {
            next = next();
        }
        return next == null ? null : value(next);
    }

    private Node next() {
        if (closed) {
            return null;
        }
        if (!running) {
            if (mailbox.isIdle()) {
                return null;
            }
            var first = begin();
            if (first != null) {
                return first;
            }
        }
        while (true) {
            var at = mailbox.poll(last);
            if (at != null) {
                last = at;
                return at.entryAsNode();
            }
            if (mailbox.becomeIdle(last)) {
                running = false;
                return null;
            }
            mailbox.awaitLink(last);
        }
    }

    private Node begin() {
        last = mailbox.first(awaitToken());
        running = true;
        return last;
    }

    private Node awaitToken() {
        while (token == null) {
            Thread.onSpinWait();
        }
        var taken = token;
        token = null;
        return taken;
    }

    /** As a handler that receives with a limit that is over: it takes the idle mailbox back, or is too late. */
    Integer receive() {
        if (!running) {
            return take();
        }
        while (true) {
            var next = mailbox.poll(last);
            if (next == null && mailbox.becomeIdle(last)) {
                var back = mailbox.reclaim(last, mailbox.newMark());
                if (back != null) {
                    last = back;
                    return null;
                }
                next = mailbox.handedOver(awaitToken());
            }
            if (next != null) {
                last = next;
                return value(next.entryAsNode());
            }
            mailbox.awaitLink(last);
        }
    }

    /** Closes the mailbox; what was left in it. */
    List<Integer> close() {
        var left = new ArrayList<Integer>();
        closed = true;
        if (!running) {
            if (mailbox.closeIfIdle()) {
                return left;
            }
            last = awaitToken();
            var first = mailbox.handedOver(last);
            if (first != null) {
                left.add(value(first));
            }
        }
        mailbox.closeMailbox(last, node -> left.add(value(node)));
        return left;
    }

    static Integer value(Node node) {
        return (Integer) ((MessageNode) node).content();
    }
}
