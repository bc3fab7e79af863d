package io.fibry.bench.orders;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;

/**
 * An actor for each connection, with a short mailbox. An order for which there is no place is refused at once,
 * before any work is done for it. All other orders are handled to their end.
 */
final class SheddingShop implements MeasuredShop {
    private final ActorScope scope;
    private final List<Actor<Integer, Integer>> tills = new ArrayList<>();

    /** Makes the shop. Each mailbox has the given number of places. */
    SheddingShop(SlowDatabase database, int connections, int places) throws SQLException {
        scope = ActorSystem.configure("shop").mailbox(MailboxPolicy.bounded(places, OverflowPolicy.reject()))
                .listener(event -> {
                    // the caller counts the orders that are refused
                }).open();
        for (int i = 0; i < connections; i++) {
            var connection = database.connect();
            Actor<Integer, Integer> till = scope.anonymous().newActorWithReturn((Integer item) -> {
                database.find(connection, item);
                database.take(connection, item);
                database.book(connection, item);
                return item;
            });
            tills.add(till.closeOnExit(connection));
        }
    }

    @Override
    public void handle(int item) throws Exception {
        var shortestFirst = new ArrayList<>(tills);
        shortestFirst.sort(Comparator.comparingInt(SheddingShop::before));
        for (var till : shortestFirst) {
            try {
                till.sendMessageReturn(item).get();
                return;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof MailboxFullException)) {
                    throw e;
                }
            }
        }
        throw new BusyException("all mailboxes are full");
    }

    /** Returns for how many orders a new order would wait. */
    private static int before(Actor<Integer, Integer> till) {
        return till.state() == ActorState.IDLE ? 0 : till.mailboxSize() + 1;
    }

    @Override
    public void close() {
        scope.close();
    }
}
