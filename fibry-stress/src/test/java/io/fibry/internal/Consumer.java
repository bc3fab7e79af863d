package io.fibry.internal;

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
        var node = new MessageNode(value);
        var offer = mailbox.offer(node);
        if (offer == Mailbox.Offer.WAKE) {
            token = node;
        }
        return offer.name();
    }

    /** The next message; null if there is none, then the mailbox is idle. */
    Integer take() {
        if (closed) {
            return null;
        }
        if (!running) {
            if (mailbox.isIdle()) {
                return null;
            }
            var first = begin();
            if (first != null) {
                return value(first);
            }
        }
        while (true) {
            var next = mailbox.poll(last);
            if (next != null) {
                last = next;
                return value(next);
            }
            if (mailbox.becomeIdle(last)) {
                running = false;
                return null;
            }
            mailbox.awaitLink(last);
        }
    }

    private Node begin() {
        while (token == null) {
            Thread.onSpinWait();
        }
        last = mailbox.first(token);
        token = null;
        running = true;
        return last;
    }

    /** Makes the mailbox idle if it is empty, and takes it back: a receive that waits in vain. False if not. */
    boolean waitInVain() {
        if (!running || !mailbox.becomeIdle(last)) {
            return false;
        }
        var back = mailbox.reclaim();
        if (back == null) {
            running = false; // the sender that was faster hands its node over
            return false;
        }
        last = back;
        return true;
    }

    /** Closes the mailbox; what was left in it. */
    List<Integer> close() {
        var left = new ArrayList<Integer>();
        closed = true;
        if (!running) {
            if (mailbox.closeIfIdle()) {
                return left;
            }
            var first = begin();
            if (first != null) {
                left.add(value(first));
            }
        }
        mailbox.closeMailbox(last, node -> left.add(value(node)));
        return left;
    }

    static Integer value(Node node) {
        return (Integer) node.content();
    }
}
