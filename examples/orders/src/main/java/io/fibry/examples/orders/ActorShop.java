package io.fibry.examples.orders;

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
 * Four actors, each with a connection of its own and a short queue. An order for which the queue has
 * no place is refused at once, before any work is done for it. All other orders are handled to their end, soon.
 */
final class ActorShop implements Shop {
    /** A full queue takes 8 x 30 ms, so a customer is served within 300 ms, or a little more on a machine that is busy. */
    static final int PLACES = 8;

    private final ActorScope scope = ActorSystem.configure("shop")
            .mailbox(MailboxPolicy.bounded(PLACES, OverflowPolicy.reject())).listener(event -> {
            }).open();
    private final List<Actor<Order, Order>> tills = new ArrayList<>();

    ActorShop(Database database) throws SQLException {
        for (int i = 0; i < CONNECTIONS; i++) {
            var connection = database.connect();
            Actor<Order, Order> till = scope.anonymous().newActorWithReturn((Order order) -> {
                order.inStock(connection);
                order.take(connection);
                order.book(connection);
                return order;
            });
            tills.add(till.closeOnExit(connection));
        }
    }

    @Override
    public void handle(Order order) throws Exception {
        var shortestQueueFirst = new ArrayList<>(tills);
        shortestQueueFirst.sort(Comparator.comparingInt(ActorShop::before));
        for (var till : shortestQueueFirst) {
            try {
                till.sendMessageReturn(order).get();
                return;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof MailboxFullException)) {
                    throw (Exception) e.getCause();
                }
            }
        }
        throw new RefusedException();
    }

    /** Returns for how many orders a new order would wait. */
    private static int before(Actor<Order, Order> till) {
        return till.state() == ActorState.IDLE ? 0 : till.mailboxSize() + 1;
    }

    @Override
    public void close() {
        scope.close();
    }
}
