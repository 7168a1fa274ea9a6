"""Writes epsilon.json: privacy spent by DP-SGD according to Opacus and Google's dp-accounting.

Usage: epsilon.py > epsilon.json   (both with the orders of the native accountant, and Opacus with its own)
"""

import importlib.metadata
import importlib.util
import json

import dp_accounting

# The analysis alone: the package's own __init__ wants more of torch's friends than are needed here.
location = importlib.util.find_spec("opacus").submodule_search_locations[0]
spec = importlib.util.spec_from_file_location("rdp", f"{location}/accountants/analysis/rdp.py")
rdp = importlib.util.module_from_spec(spec)
spec.loader.exec_module(rdp)

ORDERS = [i / 10 for i in range(11, 110)] + list(range(11, 257))
DEFAULT = [1 + x / 10.0 for x in range(1, 100)] + list(range(12, 64))


def opacus(noise, rate, steps, delta, orders):
    return rdp.get_privacy_spent(
        orders=orders, rdp=rdp.compute_rdp(q=rate, noise_multiplier=noise, steps=steps, orders=orders), delta=delta
    )


def google(noise, rate, steps, delta):
    accountant = dp_accounting.rdp.RdpAccountant(ORDERS)
    event = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(noise))
    accountant.compose(event, steps)
    return accountant.get_epsilon(delta)


def main():
    rows = []
    for noise in (0.6, 0.8, 1.1, 2.0, 4.0, 10.0):
        for rate in (0.001, 0.01, 64 / 2505, 0.25, 1.0):
            for steps in (1, 100, 2000, 40000):
                for delta in (1e-5, 1e-7):
                    epsilon, order = opacus(noise, rate, steps, delta, ORDERS)
                    default, default_order = opacus(noise, rate, steps, delta, DEFAULT)
                    rows.append({
                        "noise": noise, "rate": rate, "steps": steps, "delta": delta,
                        "opacus": float(epsilon), "order": float(order),
                        "opacus_default_orders": float(default), "default_order": float(default_order),
                        "dp_accounting": float(google(noise, rate, steps, delta)),
                    })
    versions = {name: importlib.metadata.version(name) for name in ("opacus", "dp-accounting")}
    print(json.dumps({"source": versions, "rows": rows}))


main()
