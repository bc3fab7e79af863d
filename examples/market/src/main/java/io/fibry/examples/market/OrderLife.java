package io.fibry.examples.market;

import io.fibry.examples.market.OrderEvent.Accepted;
import io.fibry.examples.market.OrderEvent.Cancel;
import io.fibry.examples.market.OrderEvent.Filled;
import io.fibry.examples.market.OrderEvent.Withdrawn;
import io.fibry.fsm.StateRows;
import io.fibry.fsm.TransitionTable;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The data of an order's state machine. Only the machine's actor uses it.
 *
 * <p>The book decides whether an order is filled or withdrawn. A cancel and a time-out only ask the book, so a trade that
 * has been made meanwhile counts, and nothing is traded twice or lost.
 */
final class OrderLife {
    private final LimitOrder order;
    private final Consumer<OrderReport> listener;
    private final BiConsumer<LimitOrder, OrderState> withdrawal;
    private int filled;
    private long cents;

    /**
     * Begins the life of an order.
     *
     * @param order the order
     * @param listener gets each change
     * @param withdrawal asks the book to take the order out
     */
    OrderLife(LimitOrder order, Consumer<OrderReport> listener,
            BiConsumer<LimitOrder, OrderState> withdrawal) {
        this.order = order;
        this.listener = listener;
        this.withdrawal = withdrawal;
    }

    static TransitionTable<OrderState, OrderEvent, OrderLife> table(Duration lifetime) {
        return TransitionTable.of(OrderState.class, OrderEvent.class, OrderLife::none)
                .state(OrderState.NEW, fresh -> fresh
                        .onEntry(step -> step.data().report(OrderState.NEW))
                        .on(Accepted.class).goTo(OrderState.ACCEPTED)
                        .on(Cancel.class).postpone())
                .state(OrderState.ACCEPTED, accepted -> waiting(accepted, OrderState.ACCEPTED)
                        .after(lifetime).run((step, after) -> step.data().withdraw(OrderState.EXPIRED)).stay()
                        .on(Filled.class).run((step, fill) -> step.data().fill(fill))
                        .goTo(OrderState.PARTLY_FILLED))
                .state(OrderState.PARTLY_FILLED, partly -> waiting(partly, OrderState.PARTLY_FILLED)
                        .after(lifetime).run((step, after) -> step.data().withdraw(OrderState.EXPIRED)).stay()
                        .on(Filled.class).run((step, fill) -> {
                            step.data().fill(fill);
                            step.data().report(OrderState.PARTLY_FILLED);
                        }).stay())
                .state(OrderState.FILLED, filled -> end(filled, OrderState.FILLED))
                .state(OrderState.CANCELLED, cancelled -> end(cancelled, OrderState.CANCELLED))
                .state(OrderState.EXPIRED, expired -> end(expired, OrderState.EXPIRED))
                .build(OrderState.NEW);
    }

    /** The rows that are the same for orders that wait in the book. */
    private static StateRows<OrderState, OrderState, OrderEvent, OrderLife> waiting(
            StateRows<OrderState, OrderState, OrderEvent, OrderLife> rows, OrderState state) {
        return rows.onEntry(step -> step.data().report(state))
                .on(Filled.class)
                .when("all of it", (now, fill, life) -> life.left() == fill.quantity())
                .run((step, fill) -> step.data().fill(fill)).goTo(OrderState.FILLED)
                .on(Cancel.class).run((step, cancel) -> step.data().withdraw(OrderState.CANCELLED)).stay()
                .on(Withdrawn.class)
                .when("expired", (now, withdrawn, life) -> withdrawn.end() == OrderState.EXPIRED)
                .goTo(OrderState.EXPIRED)
                .on(Withdrawn.class).goTo(OrderState.CANCELLED);
    }

    private static StateRows<OrderState, OrderState, OrderEvent, OrderLife> end(
            StateRows<OrderState, OrderState, OrderEvent, OrderLife> rows, OrderState state) {
        return rows.onEntry(step -> step.data().report(state)).end();
    }

    private static OrderLife none() {
        throw new IllegalStateException("each order has data of its own");
    }

    private int left() {
        return order.quantity() - filled;
    }

    private void fill(Filled fill) {
        filled += fill.quantity();
        cents += (long) fill.quantity() * fill.price();
    }

    private void withdraw(OrderState end) {
        withdrawal.accept(order, end);
    }

    private void report(OrderState state) {
        listener.accept(new OrderReport(order, state, filled, cents));
    }
}
