package io.fibry.examples.orders;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.browser.Browser;
import io.fibry.browser.PageRules;
import io.fibry.examples.orders.Load.Sample;
import io.fibry.examples.orders.Load.Second;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The page in a real browser, with figures that are made up. With {@code fibry.look=FOLDER} it leaves pictures to look at.
 */
@Timeout(240)
class OrdersPageTest {
    private static final int SECONDS = 25;

    /** What an overload looks like: the shop without a limit at its door serves less and less in time. */
    private static Second second(int number) {
        var offered = Math.max(20, 400 - 30 * Math.abs(number - 14));
        var most = Math.min(offered, 133);
        var tooMany = offered - most;
        return new Second(number, offered,
                new Sample(tooMany > 0 ? most / 4 : most, 0, tooMany, 200, 900, 2_900),
                new Sample(most, tooMany, 0, 36, 260, 310), new Sample(most, tooMany, 0, 32, 250, 300));
    }

    @Test
    void thePageShowsAllShopsAndFitsAPhone() throws Exception {
        var browser = Browser.start();
        assumeTrue(browser.isPresent(), "no chromium or chrome is on the PATH, so the page is not tested");
        var sofar = new CopyOnWriteArrayList<Second>();
        try (var chromium = browser.get(); var server = Orders.page(0, sofar, SECONDS, 400)) {
            var tab = chromium.open("http://127.0.0.1:" + server.port() + "/");
            tab.until("document.readyState", "complete");
            tab.until("document.getElementById('nothing').checkVisibility()", "true");
            PageRules.look(tab, "orders-none");
            for (int number = 0; number < SECONDS; number++) {
                sofar.add(second(number));
            }
            tab.until("document.getElementById('actors-served').textContent", "100");
            tab.until("document.getElementById('actors-refused').textContent", number("refused", sofar));
            tab.until("document.getElementById('blocking-failed').textContent", number("failed", sofar));
            PageRules.look(tab, "orders");
        }
    }

    /** Returns a sum over all seconds, as the page writes it. */
    private static String number(String what, List<Second> sofar) {
        return "%,d".formatted(sofar.stream()
                .mapToInt(second -> what.equals("refused") ? second.actors().refused()
                        : second.blocking().failed())
                .sum());
    }
}
