package io.fibry.examples.market;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.topic.ObservableValue;
import io.fibry.topic.ObserverOptions;
import io.fibry.topic.SubscriberOptions;
import io.fibry.topic.Subscription;
import io.fibry.web.WebSocket;
import io.fibry.web.WebSocketClose;
import io.fibry.web.WebSocketHandler;
import io.fibry.work.RateLimiter;
import io.fibry.work.RateLimiterOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * One page. It understands {@code watch SYMBOL}, {@code buy SYMBOL QUANTITY CENTS}, {@code sell SYMBOL QUANTITY CENTS} and
 * {@code cancel ID}. Its methods run in the actor of the socket.
 *
 * <p>All that a page is told without asking is the present state of something, and waits in a place for one. If a page
 * reads slowly, it misses states in between and always gets the latest one. The market does not wait for it.
 */
final class Visitor implements WebSocketHandler {
    private static final RateLimiterOptions RATE =
            RateLimiterOptions.of(10, Duration.ofSeconds(1), 1).withBurst(20);
    private static final int SHOWN = 12;
    private static final Pattern PLACE = Pattern.compile("(buy|sell) (\\S{1,20}) ([0-9]{1,9}) ([0-9]{1,9})");
    private static final Pattern CANCEL = Pattern.compile("cancel ([0-9]{1,18})");
    private static final Pattern WATCH = Pattern.compile("watch (\\S{1,20})");
    private static final MailboxPolicy LATEST = MailboxPolicy.bounded(1, OverflowPolicy.dropOldest());

    private static final AtomicLong NUMBERS = new AtomicLong();
    private final Marketplace exchange;
    /** Holds the actors that are made for this page; they end with it. */
    private final ActorScope page;
    private final RateLimiter rate;
    private final ObservableValue<List<OrderReport>> orders;
    private final Actor<OrderReport, Void> collector;
    private final Desk desk;
    private final List<Subscription> watched = new ArrayList<>();
    private final List<Subscription> prices = new ArrayList<>();

    Visitor(ActorScope scope, Marketplace exchange) {
        this.exchange = exchange;
        page = scope.child("page-" + NUMBERS.incrementAndGet()).open();
        rate = RateLimiter.open(page, "rate", RATE);
        orders = ObservableValue.open(page, "orders", List.of());
        collector = page.anonymous().state(LinkedHashMap<Long, OrderReport>::new).newActor(this::collect);
        desk = new Desk(exchange, collector::sendMessage);
    }

    /** Keeps the open orders, and the latest ones that have ended. */
    private void collect(SequencedMap<Long, OrderReport> reports, OrderReport report) {
        reports.put(report.order().id(), report);
        var ended = reports.values().stream().filter(each -> !each.state().isOpen())
                .map(each -> each.order().id()).toList();
        ended.stream().limit(Math.max(0, ended.size() - SHOWN)).forEach(reports::remove);
        orders.set(List.copyOf(reports.reversed().values()));
    }

    @Override
    public void opened(WebSocket socket) {
        socket.send(PageMessages.market(exchange));
        orders.subscribe(ObserverOptions.named("page").withCurrent().coalescing(),
                reports -> socket.send(PageMessages.orders(reports)));
        for (var symbol : exchange.symbols()) {
            prices.add(exchange.trades().topic(symbol).subscribe(latest("prices"),
                    trade -> socket.send(PageMessages.price(trade))));
        }
    }

    private static SubscriberOptions latest(String name) {
        return SubscriberOptions.named(name).withLast().withMailbox(LATEST);
    }

    @Override
    public void text(WebSocket socket, String text) {
        try {
            if (!rate.tryTurn()) {
                throw new Refusal("too fast: %d commands in %d s are allowed".formatted(RATE.times(),
                        RATE.period().toSeconds()));
            }
            obey(socket, text);
        } catch (Refusal refusal) {
            socket.send(PageMessages.refused(refusal.getMessage()));
        }
    }

    private void obey(WebSocket socket, String text) throws Refusal {
        var place = PLACE.matcher(text);
        var cancel = CANCEL.matcher(text);
        var watch = WATCH.matcher(text);
        if (place.matches()) {
            var side = place.group(1).equals("buy") ? Side.BUY : Side.SELL;
            long id = desk.place(place.group(2), side, Integer.parseInt(place.group(4)),
                    Integer.parseInt(place.group(3)));
            socket.send(PageMessages.done("order " + id + " is placed"));
        } else if (cancel.matches()) {
            desk.cancel(Long.parseLong(cancel.group(1)));
        } else if (watch.matches()) {
            var symbol = desk.checkSymbol(watch.group(1));
            watched.forEach(Subscription::close);
            watched.clear();
            watched.add(exchange.depths().topic(symbol).subscribe(latest("depth"),
                    depth -> socket.send(PageMessages.depth(depth))));
            watched.add(exchange.charts().topic(symbol).subscribe(latest("chart"),
                    chart -> socket.send(PageMessages.chart(chart))));
        } else {
            throw new Refusal("'%s' is not understood; say buy SYMBOL QUANTITY CENTS, sell ..., cancel ID or"
                    .formatted(text.substring(0, Math.min(text.length(), 40))) + " watch SYMBOL");
        }
    }

    @Override
    public void closed(WebSocket socket, WebSocketClose why) {
        watched.forEach(Subscription::close);
        prices.forEach(Subscription::close);
        desk.cancelAll();
        page.close();
    }
}
