package io.fibry.examples.market;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the server tells a page, in JSON. A real application has a library for that. */
final class PageMessages {
    private static final int FIRST_PRINTABLE = 0x20;

    private PageMessages() {
    }

    static String market(Marketplace exchange) {
        return "{\"type\":\"market\",\"symbols\":%s,\"mostQuantity\":%d,\"mostCents\":%d}".formatted(
                list(exchange.symbols(), PageMessages::text), Desk.MOST_QUANTITY, Desk.MOST_CENTS);
    }

    static String depth(Depth depth) {
        return "{\"type\":\"depth\",\"symbol\":%s,\"bids\":%s,\"asks\":%s}".formatted(text(depth.symbol()),
                levels(depth.bids()), levels(depth.asks()));
    }

    private static String levels(List<Depth.Level> levels) {
        return list(levels, level -> "[%d,%d]".formatted(level.price(), level.quantity()));
    }

    static String chart(PriceChart chart) {
        return "{\"type\":\"chart\",\"symbol\":%s,\"candles\":%s,\"trades\":%s}".formatted(
                text(chart.symbol()),
                list(chart.candles(), candle -> "[%d,%d,%d,%d,%d,%d]".formatted(candle.start(), candle.open(),
                        candle.high(), candle.low(), candle.close(), candle.volume())),
                list(chart.trades(), trade -> "[%d,%d,%d,%s]".formatted(trade.at(), trade.price(),
                        trade.quantity(), text(trade.side().name()))));
    }

    static String price(Trade trade) {
        return "{\"type\":\"price\",\"symbol\":%s,\"price\":%d}".formatted(text(trade.symbol()),
                trade.price());
    }

    static String orders(List<OrderReport> orders) {
        return "{\"type\":\"orders\",\"orders\":%s}".formatted(list(orders, report -> """
                {"id":%d,"symbol":%s,"side":%s,"price":%d,"quantity":%d,"filled":%d,"state":%s,"open":%b}"""
                .formatted(report.order().id(), text(report.order().symbol()),
                        text(report.order().side().name()), report.order().price(),
                        report.order().quantity(), report.filled(), text(report.state().name()),
                        report.state().isOpen())));
    }

    static String done(String what) {
        return "{\"type\":\"done\",\"text\":%s}".formatted(text(what));
    }

    static String refused(String why) {
        return "{\"type\":\"refused\",\"text\":%s}".formatted(text(why));
    }

    private static <T> String list(List<T> values, Function<T, String> json) {
        return values.stream().map(json).collect(Collectors.joining(",", "[", "]"));
    }

    static String text(String text) {
        var json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < FIRST_PRINTABLE || Character.isSurrogate(c)) {
                json.append("\\u%04x".formatted((int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
