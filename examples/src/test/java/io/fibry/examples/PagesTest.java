package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.browser.Browser;
import io.fibry.browser.Tab;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The pages of the examples in a real browser, as wide as a desktop and as wide as a phone. With {@code fibry.look=FOLDER} they leave
 * pictures to look at.
 */
@Timeout(240)
class PagesTest {
    private static final String NOTHING_IS_WIDER = "document.documentElement.scrollWidth <= innerWidth";

    private interface Look {
        void at(Tab tab) throws Exception;
    }

    private static void eachSize(String name, int port, Look look) throws Exception {
        var browser = Browser.start();
        assumeTrue(browser.isPresent(), "no chromium or chrome is on the PATH, so the page is not tested");
        try (var chromium = browser.get()) {
            for (int width : List.of(1280, 390)) {
                var tab = chromium.blank();
                tab.size(width, width > 600 ? 800 : 844, 1);
                tab.go("http://127.0.0.1:" + port + "/");
                tab.until("document.readyState", "complete");
                look.at(tab);
                tab.until(NOTHING_IS_WIDER, "true");
                assertThat(tab.problems()).isEmpty();
                picture(tab, name + "-" + width);
            }
        }
    }

    private static void picture(Tab tab, String name) throws Exception {
        var folder = System.getProperty("fibry.look");
        if (folder != null) {
            for (var colours : List.of("light", "dark")) {
                tab.prefer("prefers-color-scheme", colours);
                tab.picture(Path.of(folder, name + "-" + colours + ".png"));
            }
        }
    }

    /** Beside the field there is place for the ears of those who are at its edge. */
    @Test
    void theMeadowHasALegendAndAnEdge() throws Exception {
        try (var game = Game.start(120, 8, Duration.ofMillis(20)); var page = game.page(0)) {
            eachSize("game", page.port(), tab -> {
                tab.until("+document.getElementById('returned').textContent > 3", "true");
                assertThat(tab.see("document.querySelector('.legend').innerText")).contains("a rabbit",
                        "a fox", "grass", "lost", "came back");
                tab.until("(() => { const c = document.getElementById('field'),"
                        + " at = (x, y) => c.getContext('2d').getImageData(x, y, 1, 1).data.join(),"
                        + " edge = at(1, 1); for (let x = 1; x < c.width; x += 7)"
                        + " if (at(x, 1) !== edge) return 'clipped at ' + x; return 'free' })()",
                        "free");
            });
        }
    }

    @Test
    void theDevicesFitAPhone() throws Exception {
        try (var gateway = DeviceGateway.start(0, 1_000);
                var page = Devices.page(0, gateway);
                var simulator = new DeviceSimulator(gateway.port(), Duration.ofMillis(200))) {
            simulator.start(500);
            await().atMost(Duration.ofMinutes(1)).until(() -> gateway.snapshot().online() == 500);
            gateway.commandAll("blink");
            eachSize("devices", page.port(), tab -> {
                tab.until("document.getElementById('online').textContent", "500");
                tab.until("document.getElementById('answered').textContent", "500");
                tab.until("document.getElementById('sent').textContent", "of 500 commands answered");
                tab.until("parseInt(document.getElementById('rate').textContent.replace(',', '')) > 0",
                        "true");
                tab.until("[...document.querySelectorAll('canvas, .card, input, button')].every(each =>"
                        + " each.getBoundingClientRect().right <= innerWidth)", "true");
            });
        }
    }
}
