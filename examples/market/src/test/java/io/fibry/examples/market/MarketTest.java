package io.fibry.examples.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.browser.Browser;
import io.fibry.browser.PageRules;
import io.fibry.browser.Tab;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class MarketTest {
    private final Market market = Market.start(0, 0, Duration.ofMinutes(10));
    private final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        client.shutdownNow();
        market.close();
    }

    /** A page without a browser. */
    private final class Guest {
        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        private final WebSocket socket;

        Guest() {
            socket = client.newWebSocketBuilder().buildAsync(
                    URI.create("ws://127.0.0.1:" + market.port() + "/live"), new WebSocket.Listener() {
                        private final StringBuilder text = new StringBuilder();

                        @Override
                        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
                            text.append(data);
                            if (last) {
                                heard.add(text.toString());
                                text.setLength(0);
                            }
                            from.request(1);
                            return CompletableFuture.completedStage(null);
                        }
                    }).join();
        }

        void say(String text) {
            socket.sendText(text, true).join();
        }

        /** Takes messages until one has the wanted text. */
        String hear(String wanted) throws InterruptedException {
            while (true) {
                var message = heard.poll(60, TimeUnit.SECONDS);
                assertThat(message).as("a message with %s within 60 s", wanted).isNotNull();
                if (message.contains(wanted)) {
                    return message;
                }
            }
        }
    }

    @Test
    void twoPagesTrade() throws Exception {
        var seller = new Guest();
        assertThat(seller.hear("market")).contains("\"symbols\":[\"TEA\",\"COFFEE\",\"COCOA\"]");
        seller.say("watch TEA");
        seller.say("sell TEA 10 2000");
        seller.hear("\"asks\":[[2000,10]]");
        var buyer = new Guest();
        buyer.say("buy TEA 4 2100");
        buyer.hear("\"filled\":4,\"state\":\"FILLED\"");
        seller.hear("\"filled\":4,\"state\":\"PARTLY_FILLED\"");

        var late = new Guest();
        late.say("watch TEA");
        assertThat(late.hear("\"type\":\"chart\"")).contains(",2000,2000,2000,2000,4]]");
    }

    @Test
    void theOrdersOfAPageThatLeavesAreCancelled() throws Exception {
        var seller = new Guest();
        seller.say("sell TEA 10 2000");
        seller.hear("ACCEPTED");
        seller.socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();

        await().atMost(Duration.ofSeconds(60)).until(() -> market.exchange().open() == 0);
    }

    @Test
    void badInputIsRefusedAndExplained() throws Exception {
        var guest = new Guest();
        guest.say("buy TEA ten 2000");
        assertThat(guest.hear("refused")).contains("'buy TEA ten 2000' is not understood; say buy");
        guest.say("buy \"><b>x</b> 1 1");
        assertThat(guest.hear("refused")).contains("'\\\"><b>x</b>' is not traded here; there are TEA");
        guest.say("sell TEA 5000 1");
        assertThat(guest.hear("refused")).contains("a quantity is from 1 to 1000, not 5000");
        guest.say("cancel 999999999999999999");
        assertThat(guest.hear("refused")).contains("you have no open order 999999999999999999");
        for (int i = 0; i < 200; i++) {
            guest.say("watch TEA");
        }
        assertThat(guest.hear("refused")).contains("too fast: 10 commands in 1 s are allowed");
    }

    @Test
    void aPageThatDoesNotReadHurtsNobody() throws Exception {
        try (var slow = new Socket()) {
            slow.setReceiveBufferSize(4_096);
            slow.connect(new InetSocketAddress("127.0.0.1", market.port()));
            slow.getOutputStream()
                    .write(("GET /live HTTP/1.1\r\nHost: 127.0.0.1:" + market.port()
                            + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(slow.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 101");
            var guest = new Guest();
            guest.say("watch TEA");
            var desk = new Desk(market.exchange(), report -> {
            });
            for (int i = 1; i <= 1_000; i++) {
                desk.place("TEA", Side.SELL, 2_000, 1);
                desk.place("TEA", Side.BUY, 2_000, 1);
                if (i % 5 == 0) { // at most 10 orders are open
                    await().pollInSameThread().pollInterval(Duration.ofMillis(1))
                            .atMost(Duration.ofSeconds(60)).until(() -> market.exchange().open() == 0);
                }
            }
            desk.place("TEA", Side.SELL, 2_345, 7);
            guest.hear("\"asks\":[[2345,7]]");
        }
    }

    @Test
    void aRealBrowserTrades() throws Exception {
        var browser = Browser.start();
        assumeTrue(browser.isPresent(), "no chromium or chrome is on the PATH, so the page is not tested");
        try (var chromium = browser.get()) {
            var tab = chromium.open("http://127.0.0.1:" + market.port() + "/");
            tab.until("document.readyState + document.querySelector('#state')?.textContent",
                    "completeconnected");
            tab.until("document.querySelectorAll('#symbols button').length", "3");
            tab.until("document.querySelector('#chart').innerText", "Prices of TEA\n\nNo trade yet.");
            PageRules.look(tab, "market-none");
            send(tab, "ten", "20");
            tab.until("$('answer').textContent", "The quantity is a whole number from 1 to 1000.");
            send(tab, "10", "20.50");
            tab.until("$('bids').innerText.replace(/\\s+/g, ' ').trim()", "20.50 10");

            var guest = new Guest();
            guest.say("sell TEA 4 2000");
            tab.until("document.querySelector('#orders').innerText.includes('4 of 10')", "true");
            tab.until("document.querySelector('#symbols b').textContent", "20.50");
            tab.until("document.querySelectorAll('#svg rect').length", "2");
            tab.until("document.querySelectorAll('#tape tr').length", "1");
            PageRules.look(tab, "market-one");

            tab.see("document.querySelector('#orders button').click()");
            tab.until("document.querySelector('#orders').innerText.includes('cancelled')", "true");
            tab.see("socket.close()");
            tab.until("$('state').textContent + document.querySelectorAll('#orders tr').length",
                    "connected0");
        }
    }

    /** With bots that trade, as the program is run: full lists, and a chart that grows. */
    @Test
    void aBusyMarketIsGoodToLookAt() throws Exception {
        var browser = Browser.start();
        assumeTrue(browser.isPresent(), "no chromium or chrome is on the PATH, so the page is not tested");
        try (var chromium = browser.get(); var busy = Market.start(0, 12, Duration.ofMinutes(10))) {
            var tab = chromium.open("http://127.0.0.1:" + busy.port() + "/");
            tab.until("document.querySelectorAll('#tape tr').length > 12", "true");
            for (int i = 0; i < 7; i++) {
                send(tab, "1", "0.0" + (i + 1));
                tab.until("document.querySelectorAll('#orders tr').length", "" + (i + 1));
            }
            PageRules.look(tab, "market");
        }
    }

    private static void send(Tab tab, String quantity, String price) throws Exception {
        tab.see("$('quantity').value = '" + quantity + "', $('price').value = '" + price
                + "', $('send').click()");
    }
}
